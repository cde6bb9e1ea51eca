"use client";

import { LimitLine } from "@/app/_client/queries/limit-line";
import { type Portfolio, useAccumulator, usePortfolio } from "@/app/_client/queries/queries";
import type { DataOf } from "@/lib/contracts/define";
import type { getAccumulatorContract } from "@/lib/contracts/get-accumulator";
import { isUnderCent } from "@/lib/domain/money";
import { DEFAULT_THRESHOLD_USD } from "@/lib/domain/plans";
import { toShownCents } from "@/lib/domain/shown-sum";
import { Badge } from "../_components/card";
import { Coins, Sol } from "../_components/coins";
import { CrashBoundary } from "../_components/crash-boundary";
import { UsdAmount } from "../_components/money";
import { ShortAddress } from "../_components/short-address";
import { SkeletonLines } from "../_components/skeleton";
import { EmptyState, Failure, ReadView } from "../_components/state-view";

type Accumulator = DataOf<typeof getAccumulatorContract>;

export const LookupResult = ({ address }: { address: string }) => (
  <CrashBoundary>
    <AddressCards address={address} />
  </CrashBoundary>
);

function AddressCards({ address }: { address: string }) {
  const portfolio = usePortfolio(address);
  const accumulator = useAccumulator(address, DEFAULT_THRESHOLD_USD);
  const isInvalidAddress = portfolio.error && !portfolio.data && portfolio.error.status === 400;
  if (isInvalidAddress) return <Failure error={portfolio.error!} title="This is not a wallet's address" />;
  return (
    <div className="grid gap-4 md:grid-cols-[3fr_2fr]">
      <LimitLine className="md:col-span-2" />
      <section aria-label="Balances" className="min-w-0 rounded-2xl border border-line bg-card p-5">
        <ReadView
          read={portfolio}
          failureTitle="The balances did not load"
          loading={<SkeletonLines lines={4} label="Loading the balances" />}
        >
          {(data) => <Balances portfolio={data} />}
        </ReadView>
      </section>
      <section aria-label="Minimum to invest" className="min-w-0 rounded-2xl border border-line bg-card p-5">
        <ReadView
          read={accumulator}
          failureTitle="The minimum to invest did not load"
          loading={<SkeletonLines lines={4} label="Loading the minimum to invest" />}
        >
          {(data) => <Threshold accumulator={data} />}
        </ReadView>
      </section>
    </div>
  );
}

function Balances({ portfolio }: { portfolio: Portfolio }) {
  const { walletAddress, balances, totalUsd, pendingLamports, pendingUsd } = portfolio;
  const tokens = balances.filter(({ asset, symbol }) => !(asset === "SOL" && symbol === "SOL"));
  // The total is the sum of the rounded rows. Rows are not adjusted to it: the card beside them shows the same SOL.
  const rowsUsd = balances.reduce((sum, { usdValue }) => sum + toShownCents(usdValue ?? 0), 0) / 100;
  if (balances.length === 0) {
    return (
      <EmptyState title="Nothing at this address yet">
        <p>It may be new, or used on another network than this one.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <p className="text-sm text-soft">
        <ShortAddress text={walletAddress} /> holds
      </p>
      <p className="text-2xl font-semibold">
        <UsdAmount usd={totalUsd === null || isUnderCent(totalUsd) ? totalUsd : rowsUsd} />
      </p>
      {totalUsd === null && <p className="text-sm text-warn">No prices right now, so the value is not known.</p>}
      <table className="mt-4 w-full text-left">
        <caption className="sr-only">Balances of this address</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Asset</th>
            <th scope="col">Amount</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          <Row symbol="SOL" amount={<Sol lamports={pendingLamports} />} usd={pendingUsd} />
          {tokens.map(({ mint, symbol, amount, decimals, usdValue }) => (
            <Row
              key={mint}
              symbol={symbol}
              amount={<Coins amount={amount} decimals={decimals} symbol={symbol} />}
              usd={usdValue}
            />
          ))}
        </tbody>
      </table>
      {/* The dashboard adds them up from the wallet's whole history, which this page does not read. */}
      <p className="mt-2 text-sm text-soft">Deposits of token accounts are not included.</p>
    </>
  );
}

function Row({ symbol, amount, usd }: { symbol: string; amount: React.ReactNode; usd: number | null }) {
  return (
    <tr>
      <th scope="row" className="py-2 pr-3 font-medium">
        {symbol}
      </th>
      <td className="py-2 pr-3 text-right">{amount}</td>
      <td className="py-2 text-right text-soft">
        <UsdAmount usd={usd} />
      </td>
    </tr>
  );
}

function Threshold({ accumulator }: { accumulator: Accumulator }) {
  const { balanceUsd, usdcUsd, investableUsd, thresholdUsd, thresholdReached, remaining } = accumulator;
  const reachedShare = Math.min(1, (balanceUsd + usdcUsd) / thresholdUsd);
  return (
    <>
      <p className="flex items-center justify-between gap-2 text-sm text-soft">
        Ready to invest? {thresholdReached ? <Badge tone="good">Yes</Badge> : <Badge>Not yet</Badge>}
      </p>
      <p className="mt-1">
        <UsdAmount usd={balanceUsd} className="text-2xl font-semibold" />{" "}
        <span className="text-soft">
          in SOL, <UsdAmount usd={investableUsd} /> of it ready to invest
          {usdcUsd > 0 && (
            <>
              , and <UsdAmount usd={usdcUsd} /> in USDC
            </>
          )}
        </span>
      </p>
      <div aria-hidden="true" className="mt-4 h-2.5 overflow-hidden rounded-full bg-raised">
        <div className="h-full rounded-full bg-accent" style={{ width: `${reachedShare * 100}%` }} />
      </div>
      <p className="mt-2 text-soft">
        {thresholdReached ? (
          <>
            The usual minimum to invest of <UsdAmount usd={thresholdUsd} /> is reached.
          </>
        ) : (
          <>
            <UsdAmount usd={remaining} /> more to reach the usual minimum to invest of <UsdAmount usd={thresholdUsd} />.
          </>
        )}
      </p>
    </>
  );
}
