"use client";

import { useRef, useState } from "react";
import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { loadOnTouch } from "@/app/_components/load-on-touch";
import { Segmented } from "@/app/_components/segmented";
import { EmptyState } from "@/app/_components/state-view";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { AsideLayout, AsideSkeleton, FlowPage } from "@/app/dashboard/_flow/flow-page";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { useKeptOutcome } from "@/app/dashboard/_flow/use-kept-outcome";
import { useTopup } from "@/app/dashboard/_saving/topup/use-topup";
import { TopUpSheet } from "@/app/dashboard/_saving/wrap/sheets";
import type { SaleTarget } from "@/lib/domain/assets";
import { createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { CashOutForm, listAssetsToSell } from "./cash-out-form";
import { LeaveWithoutUs } from "./leave-without-us";
import { WhyNot } from "./not-ready";
import { ServiceWalletCard } from "./service-wallet-card";
import { WithdrawDone } from "./withdraw-done";
import { WithdrawForm } from "./withdraw-form";
import { WithdrawReview } from "./withdraw-review";

const CashOutSheet = loadOnTouch(
  () => import("./cash-out-sheet").then((module) => module.CashOutSheet),
  ({ cashOut }) => cashOut.state.phase !== "idle",
);

const LEAVES_AS = [
  ["is", "Keep coins"],
  ["SOL", "As SOL"],
  ["USDC", "USDC + SOL"],
] as const;

/** Withdraws the savings, in kind or sold, or exports the key for leaving without this service. */
export function Withdraw() {
  const portfolio = usePortfolio(useReadySession().serviceWallet);
  const withdrawal = useServiceFlow(createWithdrawSpec);
  const cashOut = useServiceFlow(createCashOutSpec);
  useKeptOutcome(cashOut);
  const topup = useTopup();
  const [as, setAs] = useState<"is" | SaleTarget>(cashOut.unfinished?.request.into ?? "is");
  const place = useRef<HTMLDivElement>(null);
  const { data } = portfolio;
  const { build, record } = withdrawal.state;
  const goOn = () => {
    topup.flow.close();
    const shownFlow = as === "is" ? withdrawal : cashOut;
    if (shownFlow.state.phase === "refused") void shownFlow.flow.renew(null);
  };
  const renderLeavesAs = (held: Portfolio) =>
    (as !== "is" || listAssetsToSell(held, "SOL").length > 0) && (
      <Segmented label="Receive as" options={LEAVES_AS} value={as} onChange={setAs} />
    );
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      <CashOutSheet cashOut={cashOut} portfolio={data} finalFocus={place} />
      <TopUpSheet topup={topup} finalFocus={place} next={<Button onClick={goOn}>Continue to withdraw</Button>} />
      <FlowPage
        {...withdrawal}
        portfolio={portfolio}
        title="Withdraw"
        lead="Move your savings out whenever you like. Roundup charges no fee."
        words={{
          unfinished: "A withdrawal is not finished",
          left: "The rest is still in your savings wallet. You can continue where it stopped.",
          review: "Review your withdrawal",
          rest: "Withdraw the rest",
          running: "Withdrawing",
          done: "Withdrawn",
          confirm: "Sign and withdraw",
        }}
        skeleton={<AsideSkeleton form="Amount" aside="In your savings wallet" />}
        review={build && record && <WithdrawReview build={build} request={record.request} portfolio={data} />}
        refused={build && <WhyNot build={build} solPriceUsd={data?.solPriceUsd} />}
        done={record && <WithdrawDone record={record} onClose={withdrawal.flow.close} />}
      >
        {(data, stale) =>
          data.balances.length === 0 ? (
            <NothingThere leftOut={data.leftOut} />
          ) : (
            <AsideLayout
              aside={
                <>
                  <ServiceWalletCard portfolio={data} />
                  {stale}
                </>
              }
            >
              {as === "is" ? (
                <WithdrawForm withdrawal={withdrawal} portfolio={data} topup={topup} head={renderLeavesAs(data)} />
              ) : (
                <CashOutForm cashOut={cashOut} portfolio={data} into={as} topup={topup} head={renderLeavesAs(data)} />
              )}
            </AsideLayout>
          )
        }
      </FlowPage>
      <LeaveWithoutUs />
    </div>
  );
}

function NothingThere({ leftOut }: { leftOut: Portfolio["leftOut"] }) {
  if (leftOut.length > 0) return <UnreadAccountsNote list={leftOut} />;
  return (
    <EmptyState
      title="Your savings wallet is empty"
      action={<ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>}
    >
      <p>There is nothing to withdraw. Save some change first.</p>
    </EmptyState>
  );
}
