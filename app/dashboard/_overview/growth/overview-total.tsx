"use client";

import { useMemo } from "react";
import { useHistory } from "@/app/_client/queries/history";
import { Usd, usdText } from "@/app/_components/money";
import { Skeleton } from "@/app/_components/skeleton";
import { gainOf, shareText, sumHistory, worthWithDeposits } from "../../_components/activity-sums";
import type { Portfolio } from "../../_components/balances";
import type { useValueFacts } from "./overview-growth";
import { growthBetween, valueAt } from "./value-series";

const DAY_MS = 86_400_000;

interface Props {
  portfolio: Portfolio | undefined;
  address: string;
  values: ReturnType<typeof useValueFacts>;
}

/** Shows the total worth and its change. */
export function OverviewTotal({ portfolio, address, values }: Props) {
  const { data: history, error } = useHistory(address);
  const { facts } = values;
  const sums = useMemo(() => history && sumHistory(history.items), [history]);
  const sinceYesterday = useMemo(
    () => facts && growthBetween(valueAt(facts, facts.now - DAY_MS), valueAt(facts, facts.now)),
    [facts],
  );
  const { totalUsd = null, solPriceUsd = null } = portfolio ?? {};
  const worthUsd =
    totalUsd !== null && solPriceUsd !== null && sums ? worthWithDeposits(totalUsd, sums, solPriceUsd) : totalUsd;
  // Hide the change for an outdated history: money withdrawn since would look like a loss.
  const isKnown = !error && history?.complete && sums && sums.unknown === 0 && portfolio?.leftOut.length === 0;
  const sinceStart = isKnown && worthUsd !== null ? gainOf(worthUsd, sums) : null;
  return (
    <div className="mt-3">
      <p className="text-5xl font-semibold tracking-tight sm:text-6xl" data-testid="total-usd">
        {portfolio && (history || error) ? <Usd value={worthUsd} /> : <Skeleton className="h-14 w-44" />}
      </p>
      <p className="mt-2 flex min-h-6 flex-wrap gap-x-5 gap-y-1 text-soft">
        {worthUsd !== null && !error && sinceYesterday !== null && (
          <Change usd={sinceYesterday} since="since yesterday" />
        )}
        {sinceStart !== null && sums && sums.contributedUsd > 0 && (
          <Change usd={sinceStart} ofUsd={sums.contributedUsd} since="since the start" />
        )}
      </p>
    </div>
  );
}

function Change({ usd, ofUsd, since }: { usd: number; ofUsd?: number; since: string }) {
  const amount = Math.abs(usd);
  return (
    <span>
      <span className={`font-medium tabular-nums ${usd > 0 ? "text-accent" : "text-ink"}`}>
        {usd === 0 ? "$0.00" : `${usd > 0 ? "+" : "−"}${usdText(amount)}${ofUsd ? shareText(amount, ofUsd) : ""}`}
      </span>{" "}
      {since}
    </span>
  );
}
