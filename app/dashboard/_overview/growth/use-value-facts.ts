"use client";

import { useMemo } from "react";
import useSWR from "swr";
import { readPath } from "@/app/_client/queries/calls";
import type { Portfolio } from "@/app/_client/queries/queries";
import { retryRead } from "@/app/_client/queries/retry";
import { useHistory } from "@/app/_client/queries/savings";
import type { DataOf } from "@/lib/contracts/define";
import type { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { addDeposits, sumHistory } from "../../_components/activity-sums";
import { countEarlierAsContributed, type ValueFacts } from "./value-series";

/**
 * Combines history, holdings and prices. `facts` is null until all are loaded, and for a wallet without history. Its
 * `now` is the time of the newest portfolio. `hasStarted` says whether the wallet has any history, or is null until
 * that is known.
 */
export function useValueFacts(portfolio: Portfolio | undefined, address: string) {
  const history = useHistory(address);
  const hasStarted = Boolean(history.data && history.data.items.length > 0);
  const prices = useSWR<DataOf<typeof getPriceHistoryContract>, ApiError>(
    hasStarted ? "/api/prices/history" : null,
    (path: string) => readPath<typeof getPriceHistoryContract>(path),
    { revalidateOnFocus: false, dedupingInterval: 600_000, onErrorRetry: retryRead },
  );
  const facts = useMemo((): ValueFacts | null => {
    if (!portfolio || !history.data || !hasStarted || !prices.data?.series) return null;
    const { items, isComplete } = history.data;
    // The portfolio's price is the newest reading.
    const series = prices.data.series.map(({ asset, points }) => {
      const heldBalance = portfolio.balances.find((balance) => balance.asset === asset);
      // Deposits are SOL even when the wallet holds none.
      const usd = asset === "SOL" ? portfolio.solPriceUsd : heldBalance?.priceUsd;
      const earlierPoints = points.filter(({ time }) => Date.parse(time) < Date.parse(portfolio.asOf));
      return { asset, points: usd ? [...earlierPoints, { time: portfolio.asOf, usd }] : points };
    });
    const { balances, totalUsd, solPriceUsd, asOf } = portfolio;
    const isFullyValued = balances.every(({ asset, usdValue }) => asset === null || usdValue !== null);
    const worthUsd =
      isFullyValued && totalUsd !== null && solPriceUsd !== null
        ? addDeposits(totalUsd, sumHistory(items), solPriceUsd)
        : undefined;
    const newestFacts = { items, balances, prices: series, now: Date.parse(asOf), worthUsd };
    return isComplete ? newestFacts : countEarlierAsContributed(newestFacts);
  }, [portfolio, history.data, hasStarted, prices.data]);
  const retry = () => (history.error ? history.mutate() : prices.mutate());
  return { facts, hasStarted: history.data ? hasStarted : null, error: history.error ?? prices.error, retry };
}
