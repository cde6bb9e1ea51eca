"use client";

import type { ReactNode, RefObject } from "react";
import { isIncoming, useRecentActivity } from "@/app/_client/queries/activity";
import { usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow } from "@/app/_components/card";
import { Coins } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { computeWorthUsd } from "@/app/dashboard/_components/activity-sums";
import { EVENT_NAMES } from "@/app/dashboard/_components/activity-words";
import { ASSETS } from "@/lib/domain/assets";
import { isUnderCent, lamportsToUsd, roundToCents, solToLamports } from "@/lib/domain/money";
import { roundKnownToSum } from "@/lib/domain/shown-sum";
import type { SaleBuild, SaleRecord } from "@/lib/sdk/flow/sell";
import type { SellRequest } from "@/lib/sdk/requests";
import { FlowSheet } from "./flow-sheet";
import { FlowResult, Success } from "./result";
import { DepositLine, describeMinimum, Minimum, QuoteWorth, Review, SolRow, WorthRow } from "./review";
import type { FlowHandle } from "./use-flow";

const WORDS = {
  reviewTitle: "Review your sale",
  runningTitle: "Selling",
  doneTitle: "Sold",
  confirmLabel: "Sign and sell",
};

export type Sell = FlowHandle<SellRequest, SaleBuild, SaleRecord>;

interface Props {
  sell: Sell;
  finalFocus: RefObject<HTMLElement | null>;
  /** True when the main wallet sells what it holds. Otherwise the savings wallet sells. */
  isMainWallet?: boolean;
  refusedContent?: ReactNode;
}

export function SellSheet({ sell, finalFocus, isMainWallet = false, refusedContent }: Props) {
  const { flow, state } = sell;
  return (
    <FlowSheet
      {...sell}
      words={WORDS}
      finalFocus={finalFocus}
      opensWithoutForm={isMainWallet}
      isSignedByWallet={isMainWallet}
      refusedContent={refusedContent}
      reviewContent={<SellReview state={state} />}
      doneContent={state.record?.done.map(({ about, txSignature }) => (
        <FlowResult
          key={txSignature}
          receipts={[{ label: EVENT_NAMES.describeSale(about.asset), txSignature }]}
          onClose={flow.close}
        >
          <SoldNote about={about} txSignature={txSignature} isMainWallet={isMainWallet} />
        </FlowResult>
      ))}
    />
  );
}

function SellReview({ state: { build, previousBuild } }: { state: Sell["state"] }) {
  const { data } = usePrices();
  const sale = build?.transactions[0];
  if (!build || !sale) return null;
  const { costs, balanceSol } = build;
  const { asset, inputAmount, quote } = sale;
  const inputUsd = computeWorthUsd(inputAmount, quote.inputDecimals, data?.prices[asset]);
  const outputUsd = computeWorthUsd(quote.outputAmount, quote.outputDecimals, quote.priceUsd);
  // Show the difference of the displayed amounts, or the exact difference where they are equal.
  const impactUsd =
    inputUsd === null || outputUsd === null
      ? null
      : roundToCents(roundToCents(outputUsd) - roundToCents(inputUsd)) || outputUsd - inputUsd;
  const { tokenAccountDepositLamports: depositLamports, networkFeeLamports } = costs;
  const solPriceUsd = data?.prices.SOL ?? null;
  const toUsd = (lamports: number) => solPriceUsd && lamportsToUsd(lamports, solPriceUsd);
  const shownFee = roundKnownToSum([{ usd: toUsd(networkFeeLamports), isCost: true }]);
  // A later withdrawal may have to open a token account for the recipient, which costs the deposit again.
  const canPayDepositTwice = Number(solToLamports(balanceSol)) >= 2 * (depositLamports + networkFeeLamports);
  const details = (
    <p className="text-soft">
      {describeMinimum(quote)} Through {quote.route.join(", ")}. Roundup takes nothing here.
    </p>
  );
  return (
    <Review testId="sell-review" details={details}>
      <WorthRow isPart label="You sell" usd={inputUsd}>
        <Coins amount={inputAmount} decimals={quote.inputDecimals} symbol={asset} />
      </WorthRow>
      <AmountRow isPart label="Price impact" hint="The difference from the market price">
        {/* A minus before "<$0.01" would be hard to read. */}
        <UsdAmount usd={impactUsd !== null && isUnderCent(impactUsd) ? Math.abs(impactUsd) : impactUsd} />
      </AmountRow>
      <SolRow
        isSeparate
        label="Network fee, at most"
        hint="Paid from your SOL"
        lamports={networkFeeLamports}
        usd={shownFee?.totalUsd}
      />
      <DepositLine
        lamports={depositLamports}
        usd={toUsd(depositLamports)}
        hint={
          canPayDepositTwice
            ? "Paid from your SOL, refundable"
            : "Paid from your SOL, refundable. Until it returns, you may need to add SOL to withdraw."
        }
        isPart={false}
      />
      <AmountRow
        isTotal
        label="You get about"
        hint={
          <>
            At least{" "}
            <Minimum quote={quote} symbol={quote.targetAsset} previousQuote={previousBuild?.transactions[0]?.quote} />
          </>
        }
      >
        <QuoteWorth usd={outputUsd} quote={quote} symbol={quote.targetAsset} />
      </AmountRow>
    </Review>
  );
}

/** Shows what was sold. Shows the quote until the exact amounts have been read from the chain. */
function SoldNote(props: { about: SaleRecord; txSignature: string; isMainWallet: boolean }) {
  const { about, txSignature, isMainWallet } = props;
  const { wallet, serviceWallet } = useReadySession();
  const item = useRecentActivity(isMainWallet ? wallet : serviceWallet).data?.items.find(
    (activityItem) => activityItem.txSignature === txSignature,
  );
  const { data } = usePrices();
  const { into, asset, amount, expected } = about;
  const receivedAmount = item?.amounts.find((moved) => moved.asset === into && isIncoming(moved))?.amount ?? expected;
  const worthUsd = item?.usdValue ?? computeWorthUsd(amount, ASSETS[asset].decimals, data?.prices[asset]);
  return (
    <Success amount={<UsdAmount usd={worthUsd} />}>
      <p>
        <Coins amount={amount} decimals={ASSETS[asset].decimals} symbol={asset} /> sold for{" "}
        <Coins amount={receivedAmount} decimals={ASSETS[into].decimals} symbol={into} />, now in your{" "}
        {isMainWallet ? "main" : "savings"} wallet.
      </p>
    </Success>
  );
}
