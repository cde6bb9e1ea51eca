import type { AssetSymbol } from "../assets";
import { DAY_MS } from "../time";

/** Price history: one reading per UTC day. Pure functions. Times are ms since the epoch; days count from the epoch. */

/** Longest history the API returns, in days. */
export const MAX_HISTORY_DAYS = 1_825;

/** US dollars per coin of each asset, at one moment of a day. An asset without a reliable price is absent. */
export type DayPrices = { time: number; usd: Partial<Record<AssetSymbol, number>>; source: string };

export interface PricePoint {
  time: number;
  usd: number;
}

export const toDayNumber = (time: number) => Math.floor(time / DAY_MS);

export function listPoints(days: readonly DayPrices[], asset: AssetSymbol): PricePoint[] {
  return days.flatMap(({ time, usd }) => (usd[asset] === undefined ? [] : [{ time, usd: usd[asset] }]));
}

/** Returns the reading nearest to a time. The first in the list wins a tie. Returns null if none is within a day. */
export function findNearestPoint(points: readonly PricePoint[], time: number): PricePoint | null {
  const getDistance = (point: PricePoint) => Math.abs(point.time - time);
  const nearest = points.reduce<PricePoint | null>(
    (best, point) => (best && getDistance(best) <= getDistance(point) ? best : point),
    null,
  );
  return nearest && getDistance(nearest) <= DAY_MS ? nearest : null;
}

/** Picks at most `maxCount` items, evenly spaced, always with the first and the last. `maxCount` must be at least 2. */
export function pickEvenlySpaced<T>(items: readonly T[], maxCount: number): T[] {
  if (items.length <= maxCount) return [...items];
  return Array.from({ length: maxCount }, (_, i) => items[Math.round((i * (items.length - 1)) / (maxCount - 1))]!);
}
