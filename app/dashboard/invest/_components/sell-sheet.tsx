"use client";

import type { RefObject } from "react";
import { usePrices } from "@/app/_client/queries/queries";
import { useRecentActivity } from "@/app/_client/queries/use-activity";
import { useReadySession } from "@/app/_client/wallet/session";
import { Line } from "@/app/_components/card";
import { Coins, Sol, Usd } from "@/app/_components/money";
import { EVENTS } from "@/app/dashboard/_components/activity-words";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import { DoneActions, Signatures } from "@/app/dashboard/_flow/receipt";
import { leastText, Review, Worth } from "@/app/dashboard/_flow/review";
import { Success } from "@/app/dashboard/_flow/success";
import { ASSETS } from "@/lib/domain/assets";
import { lamportsToUsd, solToLamports, toCoins } from "@/lib/domain/money";
import type { SaleBuild, SaleRecord } from "@/lib/sdk/flow/sell";
import type { Sell } from "./sell-form";

const WORDS = {
  review: "Review your sale",
  running: "Selling",
  done: "Sold",
  confirm: "Sign and sell",
};

/** Runs one sale in a sheet, from review to result. */
export function SellSheet({ sell, finalFocus }: { sell: Sell; finalFocus: RefObject<HTMLElement | null> }) {
  const { flow, state } = sell;
  return (
    <FlowSheet
      flow={flow}
      state={state}
      words={WORDS}
      finalFocus={finalFocus}
      review={state.build && <SellReview build={state.build} />}
      done={state.record?.done.map(({ about, txSignature }) => (
        <div key={txSignature} className="space-y-5">
          <SoldNote about={about} txSignature={txSignature} />
          <Signatures done={[{ label: EVENTS.sold(about.asset), txSignature }]} />
          <DoneActions onClose={flow.close} />
        </div>
      ))}
    />
  );
}

function SellReview({ build: { transactions, costs, balanceSol } }: { build: SaleBuild }) {
  const [sale] = transactions;
  const { data } = usePrices();
  if (!sale) return null;
  const { asset, inputAmount, quote } = sale;
  const worth = (amount: string) =>
    quote.priceUsd === null ? null : toCoins(BigInt(amount), quote.outputDecimals) * quote.priceUsd;
  const solUsd = data?.prices.SOL ?? null;
  const assetUsd = data?.prices[asset] ?? null;
  const fee = (lamports: number) => (
    <Worth usd={solUsd && lamportsToUsd(lamports, solUsd)}>
      <Sol lamports={lamports} />
    </Worth>
  );
  const got = (amount: string) => (
    <Worth usd={worth(amount)}>
      <Coins amount={amount} decimals={quote.outputDecimals} symbol={quote.targetAsset} />
    </Worth>
  );
  const { tokenAccountDepositLamports: deposit, networkFeeLamports } = costs;
  // A later withdrawal may have to open this token account for the recipient, which costs the deposit again.
  const keepsEnough = Number(solToLamports(balanceSol)) >= 2 * (deposit + networkFeeLamports);
  const details = (
    <>
      <dl>
        <Line label="Network fee, at most" hint="Goes to Solana. Roundup takes nothing here.">
          {fee(networkFeeLamports)}
        </Line>
        {deposit > 0 && (
          <Line
            label="Deposit, yours"
            hint={`For the account that holds ${quote.targetAsset}. It returns when you withdraw. The amount is the service’s word.`}
          >
            {fee(deposit)}
          </Line>
        )}
      </dl>
      <p className="text-soft">
        {leastText(quote)} Through {quote.route.join(", ")}.
      </p>
    </>
  );
  return (
    <Review testId="sell-review" details={details}>
      <Line label="You sell">
        <Worth usd={assetUsd && toCoins(BigInt(inputAmount), quote.inputDecimals) * assetUsd}>
          <Coins amount={inputAmount} decimals={quote.inputDecimals} symbol={asset} />
        </Worth>
      </Line>
      <Line label="You get about">{got(quote.outputAmount)}</Line>
      <Line label="Network fee">{fee(networkFeeLamports)}</Line>
      {deposit > 0 && (
        <Line
          label="Deposit, yours"
          hint={
            keepsEnough ? "From your SOL, and comes back" : "It comes back. Until then withdrawing may need more SOL."
          }
        >
          {fee(deposit)}
        </Line>
      )}
      <Line strong label="Into your savings, at least">
        {got(quote.minimumOutputAmount)}
      </Line>
    </Review>
  );
}

/** Shows what was sold. Shows the quote until the exact amounts have been read from the chain. */
function SoldNote({ about, txSignature }: { about: SaleRecord; txSignature: string }) {
  const { serviceWallet } = useReadySession();
  const item = useRecentActivity(serviceWallet).data?.items.find((one) => one.txSignature === txSignature);
  const { data } = usePrices();
  const { into, asset, amount, expected } = about;
  const received = item?.amounts.find((one) => one.asset === into && !one.amount.startsWith("-"))?.amount ?? expected;
  const { decimals } = ASSETS[into];
  const price = data?.prices[asset] ?? null;
  const worth = item?.usdValue ?? (price && toCoins(BigInt(amount), ASSETS[asset].decimals) * price);
  return (
    <Success amount={<Usd value={worth} />}>
      <p>
        <Coins amount={amount} decimals={ASSETS[asset].decimals} symbol={asset} /> became{" "}
        <Coins amount={received} decimals={decimals} symbol={into} />, in your savings wallet.
      </p>
    </Success>
  );
}
