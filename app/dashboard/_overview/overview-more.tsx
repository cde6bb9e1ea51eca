"use client";

import { useMemo } from "react";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useHistory } from "@/app/_client/queries/savings";
import type { WalletHistory } from "@/app/_client/queries/wallet-history";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow, Card } from "@/app/_components/card";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { Projection } from "@/app/_components/projection";
import { SkeletonLines } from "@/app/_components/skeleton";
import { ReadView } from "@/app/_components/state-view";
import {
  addDeposits,
  computeGainUsd,
  formatShare,
  roundSavings,
  sumHistory,
} from "@/app/dashboard/_components/activity-sums";
import { ceilToCents, floorToCents, fromMicroUsd, roundToCents, toMicroUsd } from "@/lib/domain/money";
import { GoalCard } from "./goal/goal-card";
import { computeOwnPace } from "./growth/value-series";

/** Looks ahead, and compares contributions with the current worth. The difference includes network and swap costs. */
export function OverviewMore({ portfolio }: { portfolio: Portfolio | undefined }) {
  const read = useHistory(useReadySession().serviceWallet);
  const loading = <SkeletonLines lines={3} label="Adding up your history" />;
  return (
    <>
      <OverviewOutlook portfolio={portfolio} />
      <Card title="Money added and value">
        <ReadView read={read} failureTitle="What you added cannot be read right now" loading={loading}>
          {(history) =>
            portfolio ? <Figures history={history} isStale={read.error !== undefined} portfolio={portfolio} /> : loading
          }
        </ReadView>
      </Card>
    </>
  );
}

function OverviewOutlook({ portfolio }: { portfolio: Portfolio | undefined }) {
  const { data: history } = useHistory(useReadySession().serviceWallet);
  const asOfTime = portfolio && Date.parse(portfolio.asOf);
  const pace = useMemo(() => history && asOfTime && computeOwnPace(history, asOfTime), [history, asOfTime]);
  if (!portfolio || !history || !asOfTime || !pace) return null;
  const { totalUsd, solPriceUsd } = portfolio;
  if (totalUsd === null || solPriceUsd === null) return null;
  const sums = sumHistory(history.items);
  const worthMicroUsd = toMicroUsd(roundToCents(addDeposits(totalUsd, sums, solPriceUsd)));
  const { perMonthMicroUsd, isFirstMonth } = pace;
  return (
    <div className="mb-4 grid gap-4 lg:grid-cols-[2fr_1fr]">
      {/* An emptied wallet has no pace that would continue. */}
      {totalUsd > 0 && (
        <Projection startMicroUsd={worthMicroUsd} perMonthMicroUsd={perMonthMicroUsd}>
          <p>
            If you keep adding {formatUsd(fromMicroUsd(perMonthMicroUsd))} a month,{" "}
            {isFirstMonth ? "which is what you added so far" : "as you did until now"}
            {sums.withdrawnUsd > 0 && ", less what you withdrew"}.
          </p>
        </Projection>
      )}
      <GoalCard worthMicroUsd={worthMicroUsd} pace={pace} now={asOfTime} />
    </div>
  );
}

interface FiguresProps {
  history: WalletHistory;
  /** Whether the history may lack a withdrawal, which would look like a loss. The gain is then hidden. */
  isStale: boolean;
  portfolio: Portfolio;
}

function Figures({ history: { isComplete, items }, isStale, portfolio }: FiguresProps) {
  const sums = useMemo(() => sumHistory(items), [items]);
  const { contributedUsd, withdrawnUsd, unknownCount, feesUsd } = sums;
  const { balances, leftOut } = portfolio;
  const { worthUsd, depositsUsd } = roundSavings(portfolio, sums);
  const isHistoryKnown = isComplete && unknownCount === 0;
  const shownFeesUsd = (isHistoryKnown ? ceilToCents : floorToCents)(feesUsd);
  const isFullyValued = leftOut.length === 0 && balances.every(({ usdValue }) => usdValue !== null);
  return (
    <>
      <dl>
        <AmountRow label={withdrawnUsd > 0 ? "Added in all" : "Added"} hint="At the price of each day.">
          {!isHistoryKnown && contributedUsd > 0 && "at least "}
          <UsdAmount usd={!isHistoryKnown && contributedUsd === 0 ? null : contributedUsd} />
        </AmountRow>
        {withdrawnUsd > 0 && (
          <AmountRow label="Withdrawn">
            {!isHistoryKnown && "at least "}
            <UsdAmount usd={withdrawnUsd} />
          </AmountRow>
        )}
        <AmountRow isPart label="In your savings wallet">
          <UsdAmount usd={worthUsd === null ? null : roundToCents(worthUsd - depositsUsd)} />
        </AmountRow>
        {depositsUsd > 0 && (
          <AmountRow isPart label="Refundable account deposits" hint="Returned when you withdraw everything.">
            <UsdAmount usd={depositsUsd} />
          </AmountRow>
        )}
        <AmountRow label="Value now" isTotal>
          {!isFullyValued && worthUsd !== null && "at least "}
          <UsdAmount usd={worthUsd} />
        </AmountRow>
      </dl>
      {isHistoryKnown && !isStale && isFullyValued && worthUsd !== null && contributedUsd > 0 && (
        <Difference usd={computeGainUsd(worthUsd, sums)} contributedUsd={contributedUsd} />
      )}
      {shownFeesUsd > 0 && (
        <p className="mt-2 text-sm text-soft">
          Service fees so far: {!isHistoryKnown && "at least "}
          {formatUsd(shownFeesUsd)}, not part of “Added”.
        </p>
      )}
      {!isComplete && (
        <p className="mt-2 text-sm text-soft">Only your newest {items.length} transactions are counted.</p>
      )}
      {unknownCount > 0 && (
        <p className="mt-2 text-sm text-soft">
          {unknownCount === 1 ? "One transfer is" : `${unknownCount} transfers are`} left out: the price at that time is
          unknown.
        </p>
      )}
    </>
  );
}

function Difference({ usd, contributedUsd }: { usd: number; contributedUsd: number }) {
  if (usd === 0) return <p className="mt-2 text-sm text-soft">No gain or loss so far.</p>;
  const [isGain, amountUsd] = [usd > 0, Math.abs(usd)];
  return (
    <p className={`mt-2 text-sm font-medium ${isGain ? "text-accent" : "text-ink"}`}>
      {formatUsd(amountUsd)}
      {formatShare(amountUsd, contributedUsd)} {isGain ? "more" : "less"} than you added, including network and swap
      costs.
    </p>
  );
}
