"use client";

import { Card } from "@/app/_components/card";
import { CoinLogo } from "@/app/_components/coin-logo";
import { Coins, percentText, Usd } from "@/app/_components/money";
import { Skeleton } from "@/app/_components/skeleton";
import { EmptyState } from "@/app/_components/state-view";
import { ASSETS } from "@/lib/domain/assets";
import type { Portfolio } from "../../_components/balances";
import { UnreadAccountsNote } from "../../_components/unread-accounts-note";
import { AllocationChart } from "./allocation-chart";

type Balance = Portfolio["balances"][number];

const COLOURS: Record<string, string> = {
  BTC: "var(--btc)",
  ETH: "var(--eth)",
  SOL: "var(--sol)",
  USDC: "var(--usdc)",
  USDT: "var(--usdt)",
};
const colourOf = ({ asset }: Balance) => (asset && COLOURS[asset]) ?? "var(--line-strong)";

/** Lists the service wallet's holdings in a table, and in a chart when there is more than one. */
export function Holdings({ portfolio }: { portfolio: Portfolio | undefined }) {
  if (!portfolio) return <HoldingsSkeleton />;
  const { balances, leftOut } = portfolio;
  if (balances.length === 0 && leftOut.length === 0) {
    return (
      <Card title="Holdings">
        <EmptyState title="Your savings wallet is empty">
          Your first round-up puts SOL in it. From your threshold on it can become BTC, ETH, USDC or USDT.
        </EmptyState>
      </Card>
    );
  }
  const priced = balances.filter(({ usdValue }) => usdValue !== null && usdValue > 0);
  const total = priced.reduce((sum, { usdValue }) => sum + usdValue!, 0);
  const slices = priced.map((balance) => ({
    key: balance.mint + balance.symbol,
    value: balance.usdValue!,
    colour: colourOf(balance),
  }));
  return (
    <Card title="Holdings">
      <div className="flex flex-col items-center gap-6 sm:flex-row sm:items-start">
        {slices.length > 1 && <AllocationChart slices={slices} />}
        <div className="w-full min-w-0 flex-1">
          {balances.length > 0 && <HoldingsTable balances={balances} total={total} />}
          {priced.length < balances.length && (
            <p className="mt-3 text-sm text-soft">Shares count only what has a price.</p>
          )}
        </div>
      </div>
      <div className="not-empty:mt-4">
        <UnreadAccountsNote list={leftOut} />
      </div>
    </Card>
  );
}

function HoldingsTable({ balances, total }: { balances: Balance[]; total: number }) {
  return (
    <table className="w-full text-left">
      <caption className="sr-only">What the savings wallet holds</caption>
      <thead className="text-sm text-soft">
        <tr className="border-b border-line">
          <th className="py-2 font-medium">Asset</th>
          <th className="hidden py-2 text-right font-medium md:table-cell">Price</th>
          <th className="py-2 text-right font-medium">Value</th>
          <th className="py-2 pl-4 text-right font-medium">Share</th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {balances.map((balance) => (
          <tr key={balance.mint + balance.symbol}>
            <th scope="row" className="py-3 pr-3 font-normal">
              <span className="flex items-start gap-2.5">
                {balance.asset ? (
                  <CoinLogo asset={balance.asset} className="mt-0.5 size-5" />
                ) : (
                  <span aria-hidden="true" className="mt-0.5 size-5 shrink-0 rounded-full bg-line-strong" />
                )}
                <span className="min-w-0">
                  <span className="block font-medium" title={balance.mint}>
                    {balance.symbol} <span className="text-sm font-normal text-soft">{nameOf(balance)}</span>
                  </span>
                  <span className="block text-sm text-soft">
                    <Coins amount={balance.amount} decimals={balance.decimals} symbol={balance.symbol} />
                  </span>
                </span>
              </span>
            </th>
            <td className="hidden py-3 pl-4 text-right align-top md:table-cell">
              <Usd value={balance.priceUsd} />
            </td>
            <td className="py-3 pl-4 text-right align-top">
              <Usd value={balance.usdValue} />
            </td>
            <td className="whitespace-nowrap py-3 pl-4 text-right align-top tabular-nums">
              {balance.usdValue === null || total === 0 ? (
                <span className="text-soft">{balance.unpriced === "unknown" ? "price unknown" : "no price"}</span>
              ) : (
                percentText(balance.usdValue / total, 1)
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf({ asset, symbol }: Balance): string {
  if (asset === null) return "Unknown token";
  if (asset !== "SOL") return symbol === asset ? ASSETS[asset].name : "Older kind";
  return symbol === "SOL" ? "Pending" : "Wrapped";
}

function HoldingsSkeleton() {
  return (
    <Card title="Holdings">
      <div role="status" className="flex flex-col items-center gap-6 sm:flex-row">
        <span className="sr-only">Reading your holdings</span>
        <Skeleton className="size-44 shrink-0 rounded-full" />
        <div className="w-full space-y-5">
          <Skeleton className="h-5 w-full" />
          <Skeleton className="h-5 w-full" />
          <Skeleton className="h-5 w-2/3" />
        </div>
      </div>
    </Card>
  );
}
