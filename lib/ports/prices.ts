import type { AssetSymbol } from "../domain/assets";
import type { PricePoint } from "../domain/prices/price-history";
import type { Prices } from "../domain/prices/prices";

export interface PriceFeed {
  /**
   * The newest prices known: at most 30 s old, or up to 5 minutes when the source fails.
   * @throws AppError upstream_* or price_stale when there is nothing usable
   */
  current(): Promise<Prices>;
  /** US dollars for one coin of any mints; null for one that has no price; absent where that is not known now. */
  ofMints(mints: string[]): Promise<Record<string, number | null>>;
}

/** One reading a day (UTC), at whatever moment it was. Both throw AppError upstream_* when it cannot be read. */
export interface PriceHistory {
  /** Readings of the last `days` days, oldest first; where they are from, null when there are none. */
  series(asset: AssetSymbol, days: number): Promise<{ points: PricePoint[]; source: string | null }>;
  /** US dollars for one coin by the reading nearest to `time` (ms since the epoch); null without one within a day of it. */
  at(asset: AssetSymbol, time: number): Promise<number | null>;
}
