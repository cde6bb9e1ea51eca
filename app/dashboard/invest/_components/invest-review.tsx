"use client";

import { useId } from "react";
import { Badge, Line, Notice } from "@/app/_components/card";
import { CoinLogo } from "@/app/_components/coin-logo";
import { Coins, coinsText, percentText, Sol, Usd, usdText } from "@/app/_components/money";
import { lamportsToUsd, toCoins } from "@/lib/domain/money";
import type { Bought, InvestRequest, SwapBuild } from "@/lib/sdk/flow/invest";
import type { FlowState } from "@/lib/sdk/flow/types";
import { type Costs, costsOf } from "./invest-costs";

type Swap = SwapBuild["transactions"][number];

interface Props {
  state: FlowState<InvestRequest, SwapBuild, Bought>;
  build: SwapBuild;
}

/** Above this share of the amount, costs are worth a warning. */
const HEAVY = 0.03;

/** Everything that is about to be signed: what comes in at the least, and where every lamport of the balance goes. */
export function InvestReview({ state, build }: Props) {
  const costs = costsOf(build);
  const before = new Map(
    (state.note === null ? null : state.previous)?.transactions.map(({ asset, quote }) => [
      asset,
      quote.minimumOutputAmount,
    ]),
  );
  return (
    <div className="space-y-5">
      <ul className="space-y-3">
        {build.transactions.map((swap) => (
          <SwapBlock key={swap.asset} swap={swap} solUsd={costs.solUsd} before={before.get(swap.asset)} />
        ))}
      </ul>
      {costs.share > HEAVY && <HeavyCosts costs={costs} />}
      <BalanceParts build={build} costs={costs} />
    </div>
  );
}

function SwapBlock({ swap, solUsd, before }: { swap: Swap; solUsd: number | null; before: string | undefined }) {
  const { asset, pct, inputLamports, quote } = swap;
  const id = useId();
  const decimals = quote.outputDecimals;
  const changed = before !== undefined && before !== quote.minimumOutputAmount;
  const value = (amount: string) =>
    quote.priceUsd === null ? null : toCoins(BigInt(amount), decimals) * quote.priceUsd;
  return (
    <li className="rounded-xl border border-line p-4" aria-labelledby={id} data-testid={`swap-${asset}`}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id={id} className="flex items-center gap-2 font-semibold">
          <CoinLogo asset={asset} />
          SOL to {asset}
        </h3>
        {pct < 100 && <Badge>{percentText(pct / 100)}</Badge>}
      </div>
      <dl className="mt-1">
        <Line label="You swap">
          <Sol lamports={inputLamports} /> <Approx usd={solUsd && lamportsToUsd(inputLamports, solUsd)} />
        </Line>
        <Line label="You get about">
          <Coins amount={quote.outputAmount} decimals={decimals} symbol={asset} />{" "}
          <Approx usd={value(quote.outputAmount)} />
        </Line>
        <Line
          label={<strong>Minimum received</strong>}
          hint={
            changed
              ? `Before: ${coinsText(before, decimals, 8)} ${asset}`
              : `Less than this, and the swap is called off (${percentText(quote.slippageBps / 10_000)} slippage).`
          }
        >
          <strong data-testid="minimum-received">
            <Coins amount={quote.minimumOutputAmount} decimals={decimals} symbol={asset} />
          </strong>
        </Line>
        <Line label="Price impact" hint="What the size of this swap takes off the price">
          {impactText(quote.priceImpact)}
        </Line>
      </dl>
      <p className="text-sm text-soft">
        {quote.priceUsd !== null && `1 ${asset} = ${usdText(quote.priceUsd)}. `}Through {quote.route.join(", ")}.
      </p>
    </li>
  );
}

const Approx = ({ usd }: { usd: number | null }) =>
  usd === null ? null : (
    <span className="block text-sm text-soft">
      about <Usd value={usd} />
    </span>
  );

const impactText = (impact: number) => (impact < 0.0001 ? "under 0.01 %" : percentText(impact));

function HeavyCosts({ costs }: { costs: Costs }) {
  return (
    <div data-testid="heavy-costs">
      <Notice tone="warn" title={`Costs and deposit are ${percentText(costs.share, 1)} of what you swap`}>
        <p>
          {costs.depositLamports > 0 && (
            <>
              {percentText(costs.depositShare, 1)} of it is the deposit, which comes back when you withdraw everything.{" "}
            </>
          )}
          {costs.goneShare < 0.001 ? "Less than 0.1 %" : percentText(costs.goneShare, 1)} is gone for good. With a
          larger amount these shares get smaller, so it may pay to wait.
        </p>
      </Notice>
    </div>
  );
}

/** The balance, part by part; together they are all of it. */
function BalanceParts({ build, costs }: { build: SwapBuild; costs: Costs }) {
  const swapped = build.transactions.reduce((sum, { inputLamports }) => sum + inputLamports, 0);
  const kept = build.swappableLamports - swapped;
  const { networkFeeLamports, reserveLamports, tokenAccountDepositLamports: deposit } = build.costs;
  const assets = build.transactions.map(({ asset }) => asset).join(", ");
  return (
    <section aria-label="Where your SOL goes">
      <h3 className="font-semibold">Where your SOL goes</h3>
      <dl className="mt-1 divide-y divide-line">
        <Line label="Swapped now">
          <Sol lamports={swapped} />
        </Line>
        {kept > 0 && (
          <Line label="Kept as SOL" hint="The share you left to SOL">
            <Sol lamports={kept} />
          </Line>
        )}
        {deposit > 0 && (
          <Line label="Refundable deposit" hint={`For the accounts that hold ${assets}. It returns when you withdraw.`}>
            <Sol lamports={deposit} />
          </Line>
        )}
        <Line label="Network fee, at most" hint="Goes to Solana. Roundup takes nothing here.">
          <Sol lamports={networkFeeLamports} />
        </Line>
        <Line
          label="Stays as reserve"
          hint="Solana asks every wallet for a minimum, and a swap for some more meanwhile."
        >
          <Sol lamports={reserveLamports} />
        </Line>
        <Line label="Your balance" strong>
          <Sol lamports={swapped + kept + deposit + networkFeeLamports + reserveLamports} />
        </Line>
      </dl>
      <p className="mt-2 text-sm text-soft" data-testid="cost-share">
        Costs: {percentText(costs.goneShare)} of what you swap (network fee and price impact)
        {costs.depositLamports > 0 && `, and ${percentText(costs.depositShare)} as a deposit that returns`}.
      </p>
    </section>
  );
}
