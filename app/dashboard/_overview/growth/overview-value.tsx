"use client";

import { useMemo } from "react";
import { type History, useHistory } from "@/app/_client/queries/history";
import type { Portfolio } from "@/app/_client/queries/queries";
import { AmountRow, Card } from "@/app/_components/card";
import { formatUsd, Usd } from "@/app/_components/money";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { computeGain, type HistorySums, shareText, sumHistory } from "@/app/dashboard/_components/activity-sums";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundToAddUp } from "@/lib/domain/shown-sum";

/** Compares contributions with the current worth, costs included. */
export function OverviewValue({ portfolio, address }: { portfolio: Portfolio | undefined; address: string }) {
  const { data, error, mutate } = useHistory(address);
  const sums = useMemo(() => data && sumHistory(data.items), [data]);
  const retry = () => void mutate();
  return (
    <Card title="Deposits and value">
      {error && !data ? (
        <Failure error={error} retry={retry} title="Your deposits cannot be read right now" />
      ) : !sums || !data || !portfolio ? (
        <ValueSkeleton />
      ) : (
        <>
          <Figures sums={sums} history={data} isOld={error !== undefined} portfolio={portfolio} />
          <StaleNote error={error} retry={retry} />
        </>
      )}
    </Card>
  );
}

interface FiguresProps {
  sums: HistorySums;
  history: History;
  /** Whether transactions may be missing since the last read. Withdrawn money would look like a loss. */
  isOld: boolean;
  portfolio: Portfolio;
}

function Figures({ sums, history, isOld, portfolio }: FiguresProps) {
  const { complete, items } = history;
  const { contributedUsd, withdrawnUsd, unknown, feesUsd, depositLamports } = sums;
  const { balances, leftOut, totalUsd, solPriceUsd } = portfolio;
  const depositUsd = solPriceUsd === null ? null : lamportsToUsd(depositLamports, solPriceUsd);
  const known = complete && unknown === 0;
  const valued = leftOut.length === 0 && balances.every(({ usdValue }) => usdValue !== null);
  const worthUsd = totalUsd === null || depositUsd === null ? null : totalUsd + depositUsd;
  const [heldShown, depositShown] = roundToAddUp([totalUsd, depositUsd]);
  return (
    <>
      <dl>
        <AmountRow label={withdrawnUsd > 0 ? "Deposited in all" : "Deposited"} hint="At the price of each day.">
          {!known && contributedUsd > 0 && "at least "}
          <Usd value={!known && contributedUsd === 0 ? null : contributedUsd} />
        </AmountRow>
        {withdrawnUsd > 0 && (
          <AmountRow label="Withdrawn">
            {!known && "at least "}
            <Usd value={withdrawnUsd} />
          </AmountRow>
        )}
        <AmountRow isPart label="In your savings wallet">
          <Usd value={heldShown} />
        </AmountRow>
        {depositLamports > 0 && (
          <AmountRow isPart label="Refundable deposits" hint="Returned when you withdraw everything.">
            <Usd value={depositShown} />
          </AmountRow>
        )}
        <AmountRow label="Value now" isTotal>
          {!valued && worthUsd !== null && "at least "}
          <Usd value={worthUsd} />
        </AmountRow>
      </dl>
      {known && !isOld && valued && worthUsd !== null && contributedUsd > 0 && (
        <Difference usd={computeGain(worthUsd, sums)} ofUsd={contributedUsd} />
      )}
      {feesUsd > 0 && (
        <p className="mt-2 text-sm text-soft">Service fees so far: {formatUsd(feesUsd)}, not part of “Deposited”.</p>
      )}
      {!complete && <p className="mt-2 text-sm text-soft">Only your newest {items.length} transactions are counted.</p>}
      {unknown > 0 && (
        <p className="mt-2 text-sm text-soft">
          {unknown === 1 ? "One transfer is" : `${unknown} transfers are`} left out: the price at that time is unknown.
        </p>
      )}
    </>
  );
}

function Difference({ usd, ofUsd }: { usd: number; ofUsd: number }) {
  if (usd === 0) return <p className="mt-2 text-sm text-soft">No gain or loss so far.</p>;
  const [more, amount] = [usd > 0, Math.abs(usd)];
  return (
    <p className={`mt-2 text-sm font-medium ${more ? "text-accent" : "text-ink"}`}>
      {formatUsd(amount)}
      {shareText(amount, ofUsd)} {more ? "more" : "less"} than you deposited, including network and swap costs.
    </p>
  );
}

function ValueSkeleton() {
  return (
    <div role="status" className="space-y-4">
      <span className="sr-only">Adding up your history</span>
      {[0, 1, 2].map((i) => (
        <div key={i} className="flex justify-between">
          <Skeleton className="h-5 w-28" />
          <Skeleton className="h-5 w-16" />
        </div>
      ))}
    </div>
  );
}
