"use client";

import { useEffect, useState } from "react";
import { usePrices } from "@/app/_client/queries/queries";
import { formatUsd } from "@/app/_components/money";
import type { AssetSymbol } from "@/lib/domain/assets";

/**
 * When each response first arrived. Age is counted from arrival, because the service's clock may differ from this one.
 */
const arrivals = new WeakMap<object, number>();

function getArrival(data: object): number {
  const known = arrivals.get(data);
  if (known !== undefined) return known;
  arrivals.set(data, Date.now());
  return Date.now();
}

/** Returns the current time and updates it every `everyMs`. */
function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Formats a duration: 42 s, 3 min, 2 h. */
function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Shows the age of the prices behind a figure; with `asset`, also the asset's price. */
export function PriceAge({ asset }: { asset?: AssetSymbol }) {
  const { data, error } = usePrices();
  const now = useNow(5_000);
  if (!data) {
    return (
      <span className="text-sm text-soft">
        {error ? "Prices are unavailable right now." : "Waiting for the price."}
      </span>
    );
  }
  const ageMs = data.ageMs + Math.max(0, now - getArrival(data));
  const price = asset && data.prices[asset];
  const doubted = data.problems.filter((problem) => asset === undefined || problem.asset === asset);
  const isOld = ageMs > 120_000 || data.ageMs > 30_000 || doubted.length > 0;
  return (
    <span className={`text-sm ${isOld ? "text-warn" : "text-soft"}`}>
      {price !== undefined && `1 ${asset} = ${formatUsd(price)}. `}
      {isOld ? `Updated ${formatDuration(ageMs)} ago` : "Updated just now"}
      {doubted.length > 0 && `; ${doubted.map((problem) => problem.asset).join(", ")} uncertain`}
    </span>
  );
}
