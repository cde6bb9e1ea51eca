"use client";

import { useRef, useState } from "react";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useSavings } from "@/app/_client/queries/savings";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { loadOnTouch } from "@/app/_components/load-on-touch";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { EmptyState } from "@/app/_components/state-view";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { AsideLayout, AsideSkeleton, FlowPage } from "@/app/dashboard/_flow/flow-page";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { useInFlightResume } from "@/app/dashboard/_flow/use-in-flight-resume";
import { useTopup } from "@/app/dashboard/_saving/topup/use-topup";
import { TopupSheet } from "@/app/dashboard/_saving/wrap/sheets";
import type { SaleTarget } from "@/lib/domain/assets";
import { createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { CashOutForm, listAssetsToSell } from "./cash-out-form";
import { findRefusedDestination, useDestination } from "./destination-field";
import { RefusalReason } from "./not-ready";
import { SecretKeyExport } from "./secret-key-export";
import { ServiceWalletCard } from "./service-wallet-card";
import { WithdrawDone } from "./withdraw-done";
import { WithdrawForm } from "./withdraw-form";
import { WithdrawReview } from "./withdraw-review";

const CashOutSheet = loadOnTouch(
  () => import("./cash-out-sheet").then((module) => module.CashOutSheet),
  ({ cashOut }) => cashOut.state.phase !== "idle",
);

const RECEIVE_OPTIONS = [
  ["coins", "Keep coins"],
  ["SOL", "As SOL"],
  ["USDC", "USDC + SOL"],
] as const;

const WORDS = {
  unfinishedTitle: "A withdrawal is not finished",
  remainingText: "The rest is still in your savings wallet. You can continue where it stopped.",
  reviewTitle: "Review your withdrawal",
  remainderReviewTitle: "Withdraw the rest",
  runningTitle: "Withdrawing",
  doneTitle: "Withdrawn",
  confirmLabel: "Sign and withdraw",
};

/** Shows the page that withdraws the savings, as coins or sold, or exports the key for leaving without this service. */
export function Withdraw() {
  const { portfolio, isUpdating } = useSavings(useReadySession().serviceWallet);
  const withdrawal = useServiceFlow(createWithdrawSpec, { mayRunUnrecorded: true });
  const cashOut = useServiceFlow(createCashOutSpec, { mayRunUnrecorded: true });
  useInFlightResume(cashOut);
  const topup = useTopup();
  const [into, setInto] = useState<"coins" | SaleTarget>(cashOut.unfinishedRecord?.request.into ?? "coins");
  // Both forms share the destination: another choice of what to receive must not change where the money goes.
  const destinationInput = useDestination(findRefusedDestination(into === "coins" ? withdrawal.state : cashOut.state));
  const pageRef = useRef<HTMLDivElement>(null);
  const { data } = portfolio;
  const { build, record } = withdrawal.state;
  const resume = () => {
    topup.flow.close();
    const shownFlow = into === "coins" ? withdrawal : cashOut;
    if (shownFlow.state.phase === "refused") void shownFlow.flow.renew(null);
  };
  const receiveSwitch = (into !== "coins" || (data && listAssetsToSell(data, "SOL").length > 0)) && (
    <SegmentedControl label="Receive as" options={RECEIVE_OPTIONS} value={into} onChange={setInto} />
  );
  const formProps = { destinationInput, topup, receiveSwitch };
  return (
    <div ref={pageRef} tabIndex={-1} className="outline-none">
      <CashOutSheet cashOut={cashOut} portfolio={data} finalFocus={pageRef} />
      <TopupSheet
        topup={topup}
        finalFocus={pageRef}
        nextAction={<Button onClick={resume}>Continue to withdraw</Button>}
        onLeave={() => closeRefused(withdrawal, cashOut)}
      />
      <FlowPage
        {...withdrawal}
        portfolio={portfolio}
        isUpdating={isUpdating}
        title="Withdraw"
        lead="Move your savings out whenever you like. Roundup charges no fee."
        words={WORDS}
        skeleton={<AsideSkeleton formTitle="Amount" asideTitle="In your savings wallet" />}
        reviewContent={build && record && <WithdrawReview build={build} request={record.request} portfolio={data} />}
        refusedContent={build && <RefusalReason build={build} solPriceUsd={data?.solPriceUsd} />}
        doneContent={record && <WithdrawDone record={record} onClose={withdrawal.flow.close} />}
      >
        {(data, staleNote) =>
          data.balances.length === 0 ? (
            <NothingToWithdraw leftOut={data.leftOut} />
          ) : (
            <AsideLayout
              aside={
                <>
                  <ServiceWalletCard portfolio={data} />
                  {staleNote}
                </>
              }
            >
              {into === "coins" ? (
                <WithdrawForm {...formProps} withdrawal={withdrawal} portfolio={data} />
              ) : (
                <CashOutForm {...formProps} cashOut={cashOut} portfolio={data} into={into} />
              )}
            </AsideLayout>
          )
        }
      </FlowPage>
      <SecretKeyExport />
    </div>
  );
}

/** Closes the refused flows after a top-up, because each still shows the amount that was missing before. */
function closeRefused(...handles: { flow: { close(): void }; state: { phase: string } }[]): void {
  for (const { flow, state } of handles) if (state.phase === "refused") flow.close();
}

function NothingToWithdraw({ leftOut }: { leftOut: Portfolio["leftOut"] }) {
  if (leftOut.length > 0) return <UnreadAccountsNote accounts={leftOut} />;
  return (
    <EmptyState
      title="Your savings wallet is empty"
      action={<ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>}
    >
      <p>There is nothing to withdraw. Save some change first.</p>
    </EmptyState>
  );
}
