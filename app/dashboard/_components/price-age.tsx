"use client";

import { useEffect, useState } from "react";
import { usePrices } from "@/app/_client/queries/queries";
import { formatUsd } from "@/app/_components/money";
import type { AssetSymbol } from "@/lib/domain/assets";

/** When each response first arrived, ms since the epoch. The service's clock may differ from this one. */
const arrivalTimes = new WeakMap<object, number>();

/** Returns when a response arrived, ms since the epoch. The first call for a response stores the current time. */
function recordArrival(response: object): number {
  const arrivalTime = arrivalTimes.get(response) ?? Date.now();
  arrivalTimes.set(response, arrivalTime);
  return arrivalTime;
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How old a displayed price may be. */
const MAX_DISPLAYED_AGE_MS = 120_000;
/** How old a price may be on arrival. The service also calls an older price stale. */
const MAX_ARRIVAL_AGE_MS = 30_000;

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Shows the age of the prices behind a figure; with `asset`, also the asset's price. */
export function PriceAge({ asset }: { asset?: AssetSymbol }) {
  const { data, error } = usePrices();
  const now = useNow();
  if (!data) {
    return (
      <span className="text-sm text-soft">
        {error ? "Prices are unavailable right now." : "Waiting for the price."}
      </span>
    );
  }
  const ageMs = data.ageMs + Math.max(0, now - recordArrival(data));
  const priceUsd = asset && data.prices[asset];
  const priceProblems = data.problems.filter((problem) => asset === undefined || problem.asset === asset);
  const isStale = ageMs > MAX_DISPLAYED_AGE_MS || data.ageMs > MAX_ARRIVAL_AGE_MS || priceProblems.length > 0;
  return (
    <span className={`text-sm ${isStale ? "text-warn" : "text-soft"}`}>
      {priceUsd !== undefined && `1 ${asset} = ${formatUsd(priceUsd)}. `}
      {isStale ? `Updated ${formatDuration(ageMs)} ago` : "Updated just now"}
      {priceProblems.length > 0 && `; ${priceProblems.map((problem) => problem.asset).join(", ")} uncertain`}
    </span>
  );
}
