"use client";

import { useRef, useState } from "react";
import { loadInvestChoice } from "@/app/_client/local-storage/invest-choice";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useSavings } from "@/app/_client/queries/savings";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Coins } from "@/app/_components/coins";
import { loadOnTouch } from "@/app/_components/load-on-touch";
import { UsdAmount } from "@/app/_components/money";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { EmptyState } from "@/app/_components/state-view";
import { PriceAge } from "@/app/dashboard/_components/price-age";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { useWorth } from "@/app/dashboard/_components/use-worth";
import { AsideLayout, AsideSkeleton, FlowPage } from "@/app/dashboard/_flow/flow-page";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { TopupSheet } from "@/app/dashboard/_saving/wrap/sheets";
import { useTopup } from "@/app/dashboard/_saving/wrap/use-saving";
import type { SaleTarget } from "@/lib/domain/assets";
import { createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { CashOutForm, UNFINISHED_WORDS } from "./cash-out-form";
import { findRefusedDestination, useDestination } from "./destination-field";
import { RefusalReason } from "./not-ready";
import { listAssetsToSell, RECEIVE_OPTIONS, type ReceiveOption } from "./payable-option";
import { SecretKeyExport } from "./secret-key-export";
import { WithdrawDone } from "./withdraw-done";
import { WithdrawForm } from "./withdraw-form";
import { WithdrawReview } from "./withdraw-review";

const CashOutSheet = loadOnTouch(
  () => import("./cash-out-sheet").then((module) => module.CashOutSheet),
  ({ cashOut }) => cashOut.state.phase !== "idle",
);

const WORDS = {
  ...UNFINISHED_WORDS,
  reviewTitle: "Review your withdrawal",
  remainderReviewTitle: "Withdraw the rest",
  runningTitle: "Withdrawing",
  doneTitle: "Withdrawn",
  confirmLabel: "Sign and withdraw",
};

export function Withdraw() {
  const { wallet, serviceWallet } = useReadySession();
  const { portfolio, isUpdating } = useSavings(serviceWallet);
  const withdrawal = useServiceFlow(createWithdrawSpec, { mayRunUnrecorded: true });
  const cashOut = useServiceFlow(createCashOutSpec, { mayRunUnrecorded: true });
  const topup = useTopup();
  const [into, setInto] = useState<ReceiveOption>(cashOut.unfinishedRecord?.request.into ?? "coins");
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
  const chooseOption = (option: ReceiveOption) => {
    closeRefused(withdrawal, cashOut);
    setInto(option);
  };
  const receiveSwitch = (into !== "coins" || (data && listAssetsToSell(data, "SOL").length > 0)) && (
    <SegmentedControl label="Receive as" options={RECEIVE_OPTIONS} value={into} onChange={chooseOption} />
  );
  const receiveAs = async (option: ReceiveOption) => {
    const destination = await destinationInput.checkDestination();
    if (destination === null || !data) return;
    chooseOption(option);
    if (option === "coins") void withdrawal.flow.start({ destination, asset: null, amountBaseUnits: null });
    else if (!cashOut.unfinishedRecord)
      void cashOut.flow.start(createCashOutRequest(wallet, destination, option, data));
  };
  const formProps = { destinationInput, topup, receiveSwitch, receiveAs: (way: ReceiveOption) => void receiveAs(way) };
  return (
    <div ref={pageRef} tabIndex={-1} className="outline-none">
      <CashOutSheet cashOut={cashOut} finalFocus={pageRef} />
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
        reviewContent={build && record && <WithdrawReview build={build} request={record.request} />}
        refusedContent={build && <RefusalReason build={build} />}
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

const createCashOutRequest = (wallet: string, destination: string, into: SaleTarget, portfolio: Portfolio) => ({
  destination,
  into,
  assets: listAssetsToSell(portfolio, into),
  slippageBps: loadInvestChoice(wallet).slippageBps,
});

/** Closes the refused flows, because each still shows what was missing before a top-up or for another choice. */
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

function ServiceWalletCard({ portfolio }: { portfolio: Portfolio }) {
  const { balances, leftOut, totalUsd } = portfolio;
  const { worthUsd, depositsUsd, valuesUsd } = useWorth(portfolio, useReadySession().serviceWallet);
  const pricedCount = balances.filter(({ usdValue }) => usdValue !== null).length;
  return (
    <Card title="In your savings wallet">
      <p className="text-3xl font-semibold" data-testid="service-total">
        <UsdAmount usd={pricedCount > 0 ? worthUsd : null} />
      </p>
      {pricedCount < balances.length && totalUsd !== null && (
        <p className="mt-1 text-sm text-warn">
          {pricedCount > 0 ? "Coins without a price are not counted." : "No price is known for these coins."}
        </p>
      )}
      <ul className="mt-3 divide-y divide-line">
        {balances.map(({ mint, symbol, amount, decimals }, i) => (
          <li key={`${mint}:${symbol}`} className="flex items-baseline justify-between gap-4 py-2">
            <Coins amount={amount} decimals={decimals} symbol={symbol} />
            <span className="text-soft">
              <UsdAmount usd={valuesUsd[i]} />
            </span>
          </li>
        ))}
        {pricedCount > 0 && depositsUsd > 0 && (
          <li className="flex items-baseline justify-between gap-4 py-2">
            Refundable account deposits
            <span className="text-soft">
              <UsdAmount usd={depositsUsd} />
            </span>
          </li>
        )}
      </ul>
      <p className="mt-3">
        <PriceAge />
      </p>
      <UnreadAccountsNote className="mt-4" accounts={leftOut} />
    </Card>
  );
}
