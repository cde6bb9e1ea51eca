import type { AssetSymbol } from "../assets";

/** Prices over time: one reading for each UTC day. Pure; times are ms since the epoch, days are counted from it. */

export const DAY_MS = 86_400_000;
/** As far back as anybody is answered. */
export const MAX_HISTORY_DAYS = 1_825;

/** US dollars for one coin at one moment of a day; an asset without a sound price then is absent. */
export type DayPrices = { time: number; usd: Partial<Record<AssetSymbol, number>>; source: string };

export interface PricePoint {
  time: number;
  usd: number;
}

export const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** One asset's readings, in their order. */
export function pointsOf(days: readonly DayPrices[], asset: AssetSymbol): PricePoint[] {
  return days.flatMap(({ time, usd }) => (usd[asset] === undefined ? [] : [{ time, usd: usd[asset] }]));
}

/** The reading nearest to a moment, the earlier of two; null where there is none within a day of it. */
export function nearest(points: readonly PricePoint[], time: number): PricePoint | null {
  const distance = (point: PricePoint) => Math.abs(point.time - time);
  const best = points.reduce<PricePoint | null>((a, b) => (a && distance(a) <= distance(b) ? a : b), null);
  return best && distance(best) <= DAY_MS ? best : null;
}

/** At most `most` (at least 2) of the items, evenly picked, the first and the last among them. */
export function thinned<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]!);
}
