"use client";

import { AmountRow, Notice } from "@/app/_components/card";
import { CoinLogo } from "@/app/_components/coin-logo";
import { Coins, Sol } from "@/app/_components/coins";
import { formatPercent, formatUsd } from "@/app/_components/money";
import { computeWorthUsd } from "@/app/dashboard/_components/activity-sums";
import { DepositLine, Minimum, QuoteWorth, Review, SolRow, WorthRow } from "@/app/dashboard/_flow/review";
import { ASSETS, type PayAsset } from "@/lib/domain/assets";
import { solToLamports } from "@/lib/domain/money";
import type { InvestmentRecord, SwapBuild } from "@/lib/sdk/flow/invest";
import type { FlowState } from "@/lib/sdk/flow/state";
import type { InvestRequest } from "@/lib/sdk/requests";
import { type Costs, computeCosts, hasHeavyCosts, roundInvestment } from "./invest-costs";

type Swap = SwapBuild["transactions"][number];

interface Props {
  state: FlowState<InvestRequest, SwapBuild, InvestmentRecord>;
  build: SwapBuild;
}

/** Shows everything that is about to be signed: minimum amounts, costs and the total. */
export function InvestReview({ state, build }: Props) {
  const { transactions } = build;
  const costs = computeCosts(build);
  const { networkFeeLamports, reserveLamports, tokenAccountDepositLamports: depositLamports } = build.costs;
  const swapped = sumSwapped(build);
  const paidLamports = swapped.lamports + depositLamports + networkFeeLamports;
  const shownUsd = roundInvestment(build, costs.solPriceUsd);
  const details = (
    <>
      <ul className="space-y-4">
        {transactions.map((swap) => (
          <SwapDetails key={swap.asset} swap={swap} payWith={build.payWith} />
        ))}
      </ul>
      <BalanceParts build={build} costs={costs} swapped={swapped} />
    </>
  );
  return (
    <div className="space-y-4">
      <Review testId="invest-review" details={details}>
        <WorthRow isPart label="You invest" usd={shownUsd?.swappedUsd}>
          <Paid {...swapped} />
        </WorthRow>
        {transactions.map((swap, i) => (
          <SwapLine
            key={swap.asset}
            swap={swap}
            paidUsd={shownUsd?.swapsUsd[i]}
            previousQuote={state.previousBuild?.transactions.find(({ asset }) => asset === swap.asset)?.quote}
          />
        ))}
        <SolRow isPart label="Network fee" lamports={networkFeeLamports} usd={shownUsd?.feeUsd} />
        <DepositLine
          lamports={depositLamports}
          usd={shownUsd?.depositUsd}
          hint="Returned when you withdraw all of the coin"
        />
        <WorthRow
          isTotal
          label="Taken from your savings"
          usd={shownUsd?.totalUsd}
          hint={
            <span data-testid="stays-reserved">
              {build.payWith === "USDC" ? "The rest of your SOL" : <Sol lamports={reserveLamports} />} stays in your
              savings wallet
            </span>
          }
        >
          {swapped.units > 0n && (
            <>
              <Paid {...swapped} />
              <br />
            </>
          )}
          <Sol lamports={paidLamports} />
        </WorthRow>
      </Review>
      {hasHeavyCosts(costs) && (
        <Notice
          testId="heavy-costs"
          tone="warn"
          title={`Costs are ${formatPercent(costs.lostShare, 1)} of what you invest`}
        >
          <p>You do not get this back. Wait for a better price, or invest more at once.</p>
        </Notice>
      )}
    </div>
  );
}

interface Swapped {
  /** Lamports; 0 if USDC pays. */
  lamports: number;
  /** Base units of USDC; 0 if SOL pays. */
  units: bigint;
}

const toSwapped = (payWith: PayAsset, amount: bigint): Swapped =>
  payWith === "USDC" ? { lamports: 0, units: amount } : { lamports: Number(amount), units: 0n };

const sumSwapped = ({ payWith, transactions }: SwapBuild): Swapped =>
  toSwapped(
    payWith,
    transactions.reduce((sum, { inputAmount }) => sum + BigInt(inputAmount), 0n),
  );

function Paid({ lamports, units, isExact }: Swapped & { isExact?: boolean }) {
  if (units === 0n) return <Sol isExact={isExact} lamports={lamports} />;
  return <Coins isExact={isExact} amount={`${units}`} decimals={ASSETS.USDC.decimals} symbol="USDC" />;
}

interface SwapLineProps {
  swap: Swap;
  /** USD to display for what the swap takes; undefined if unknown. */
  paidUsd: number | undefined;
  previousQuote: Swap["quote"] | undefined;
}

/** Shows what one swap buys, and its minimum. One of several swaps shows its part of the amount above. */
function SwapLine({ swap: { asset, pct, quote }, paidUsd, previousQuote }: SwapLineProps) {
  const boughtUsd = computeWorthUsd(quote.outputAmount, quote.outputDecimals, quote.priceUsd);
  return (
    <AmountRow
      isIndented
      testId={`swap-${asset}`}
      label={
        <span className="flex items-center gap-2">
          <CoinLogo asset={asset} />
          {pct < 100 ? `${asset}, ${formatPercent(pct / 100)}` : `You get ${asset}`}
        </span>
      }
      hint={
        <>
          at least <Minimum quote={quote} symbol={asset} previousQuote={previousQuote} />
        </>
      }
    >
      <QuoteWorth usd={pct < 100 ? paidUsd : boughtUsd} quote={quote} symbol={asset} />
    </AmountRow>
  );
}

function SwapDetails({ swap: { asset, inputAmount, quote }, payWith }: { swap: Swap; payWith: PayAsset }) {
  return (
    <li>
      <h3 className="font-semibold">
        {payWith} to {asset}
      </h3>
      <dl>
        <AmountRow label="You swap">
          <Paid {...toSwapped(payWith, BigInt(inputAmount))} />
        </AmountRow>
        <AmountRow label="Price impact" hint="How much the size of this swap changes the price">
          {quote.priceImpact < 0.0001 ? "under 0.01 %" : formatPercent(quote.priceImpact)}
        </AmountRow>
      </dl>
      <p className="text-sm text-soft">
        {quote.priceUsd !== null && `1 ${asset} = ${formatUsd(quote.priceUsd)}. `}Through {quote.route.join(", ")}.
      </p>
    </li>
  );
}

/** Splits the balances into parts that add up to all of each. */
function BalanceParts({ build, costs, swapped }: { build: SwapBuild; costs: Costs; swapped: Swapped }) {
  const { payWith } = build;
  const soldAmount = payWith === "USDC" ? swapped.units : BigInt(swapped.lamports);
  const kept = toSwapped(payWith, BigInt(build.swappableAmount) - soldAmount);
  const { networkFeeLamports, tokenAccountDepositLamports: depositLamports } = build.costs;
  const balanceLamports = Number(solToLamports(build.balanceSol));
  const swapRows = (
    <>
      <AmountRow label="Swapped now">
        <Paid isExact {...swapped} />
      </AmountRow>
      {(kept.lamports > 0 || kept.units > 0n) && (
        <AmountRow label={`Kept as ${payWith}`} hint={`The share you keep as ${payWith}`}>
          <Paid isExact {...kept} />
        </AmountRow>
      )}
    </>
  );
  return (
    <section aria-label={`Where your ${payWith} goes`}>
      {payWith === "USDC" && (
        <>
          <h3 className="font-semibold">Where your USDC goes</h3>
          <dl>
            {swapRows}
            <AmountRow label="Your balance" hint="As read by Roundup’s server" isTotal>
              <Paid isExact {...toSwapped(payWith, BigInt(build.balanceAmount))} />
            </AmountRow>
          </dl>
        </>
      )}
      <h3 className="font-semibold">Where your SOL goes</h3>
      <dl>
        {payWith === "SOL" && swapRows}
        <AmountRow label="Network fee, at most" hint="Paid to Solana. Roundup takes nothing here.">
          <Sol isExact lamports={networkFeeLamports} />
        </AmountRow>
        <AmountRow
          label={depositLamports > 0 ? "Stays as SOL and account deposits" : "Stays as SOL"}
          hint={
            <>
              <span>Solana requires a minimum in every wallet. A swap briefly needs a little more. </span>
              {depositLamports > 0 && (
                <span>
                  The deposits for new coins’ accounts are at most <Sol lamports={depositLamports} />. A deposit returns
                  when you withdraw all of that coin.
                </span>
              )}
            </>
          }
        >
          <Sol isExact lamports={balanceLamports - swapped.lamports - kept.lamports - networkFeeLamports} />
        </AmountRow>
        <AmountRow label="Your balance" hint="As read by Roundup’s server" isTotal>
          <Sol isExact lamports={balanceLamports} />
        </AmountRow>
      </dl>
      <p className="mt-2 text-sm text-soft" data-testid="cost-share">
        Costs: {formatPercent(costs.lostShare)} of what you swap
        {depositLamports > 0 && `, and at most ${formatPercent(costs.depositShare)} as a refundable account deposit`}.
        If you would get less than the minimum, the swap is cancelled.
      </p>
    </section>
  );
}
