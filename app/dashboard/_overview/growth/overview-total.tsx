"use client";

import { useMemo } from "react";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useSavings } from "@/app/_client/queries/savings";
import { useReadySession } from "@/app/_client/wallet/session";
import { Coins } from "@/app/_components/coins";
import { formatUsd, SumUsd, UsdAmount } from "@/app/_components/money";
import { Skeleton } from "@/app/_components/skeleton";
import { DAY_MS } from "@/lib/domain/time";
import { computeGainUsd, formatShare, sumHistory } from "../../_components/activity-sums";
import { useWorth } from "../../_components/use-worth";
import { computeGrowthUsd, computeValueAt, findStartTime, type ValueFacts } from "./value-series";

export function OverviewTotal({ portfolio, facts }: { portfolio: Portfolio | undefined; facts: ValueFacts | null }) {
  const { serviceWallet } = useReadySession();
  const savings = useSavings(serviceWallet);
  const { data: history, error } = savings.history;
  const sums = useMemo(() => history && sumHistory(history.items), [history]);
  const gainSinceYesterdayUsd = useMemo(
    () =>
      facts &&
      findStartTime(facts) <= facts.now - DAY_MS &&
      computeGrowthUsd(computeValueAt(facts, facts.now - DAY_MS), computeValueAt(facts, facts.now)),
    [facts],
  );
  const { worthUsd, depositsUsd, valuesUsd } = useWorth(portfolio, serviceWallet);
  // Hide the gain for an outdated history: a withdrawal that it lacks would look like a loss.
  const isGainKnown =
    !error && history?.isComplete && sums && sums.unknownCount === 0 && portfolio?.leftOut.length === 0;
  const totalGainUsd = isGainKnown && worthUsd !== null ? computeGainUsd(worthUsd, sums) : null;
  return (
    <div>
      <p className="text-5xl font-semibold tracking-tight sm:text-6xl" data-testid="total-usd">
        {portfolio && (history || error) ? <UsdAmount usd={worthUsd} /> : <Skeleton className="h-12 w-44 sm:h-15" />}
      </p>
      {portfolio ? (
        <CoinsLine portfolio={portfolio} shownValuesUsd={valuesUsd} />
      ) : (
        <Skeleton className="mt-2 h-5 w-52" />
      )}
      <p className="flex min-h-6 flex-wrap gap-x-5 gap-y-1 text-soft">
        {savings.isUpdating ? (
          "Updating…"
        ) : (
          <>
            {worthUsd !== null && !error && typeof gainSinceYesterdayUsd === "number" && (
              <Change usd={gainSinceYesterdayUsd} periodText="since yesterday" />
            )}
            {totalGainUsd !== null && sums && sums.contributedUsd > 0 && (
              <Change usd={totalGainUsd} contributedUsd={sums.contributedUsd} periodText="all time" />
            )}
            {depositsUsd > 0 && <span>{formatUsd(depositsUsd)} in account deposits</span>}
          </>
        )}
      </p>
    </div>
  );
}

/** Names the invested coins and their value in one line. A coin without a price is named, but never counted as zero. */
function CoinsLine({ portfolio, shownValuesUsd }: { portfolio: Portfolio; shownValuesUsd: (number | null)[] }) {
  const { balances, leftOut } = portfolio;
  const tokens = balances
    .map((balance, i) => ({ ...balance, usdValue: shownValuesUsd[i] ?? null }))
    .filter(({ symbol }) => symbol !== "SOL");
  const [firstToken, ...otherTokens] = tokens;
  return (
    <p className="mt-1 truncate text-soft">
      {firstToken && otherTokens.length === 0 ? (
        <Coins amount={firstToken.amount} decimals={firstToken.decimals} symbol={firstToken.symbol} />
      ) : (
        tokens.map(({ symbol }) => symbol).join(", ")
      )}
      {firstToken && " · "}
      <span data-testid="invested-usd">
        <SumUsd values={[...tokens.map(({ usdValue }) => usdValue), ...leftOut.map(() => null)]} />
      </span>
      {!firstToken && leftOut.length === 0 && " invested"}
    </p>
  );
}

function Change({ usd, contributedUsd, periodText }: { usd: number; contributedUsd?: number; periodText: string }) {
  const amountUsd = Math.abs(usd);
  return (
    <span>
      <span className={`font-medium tabular-nums ${usd > 0 ? "text-accent" : "text-ink"}`}>
        {usd === 0
          ? "$0.00"
          : `${usd > 0 ? "+" : "−"}${formatUsd(amountUsd)}${contributedUsd ? formatShare(amountUsd, contributedUsd) : ""}`}
      </span>{" "}
      {periodText}
    </span>
  );
}
