import type { AssetSymbol } from "../domain/assets";
import type { PricePoint } from "../domain/prices/price-history";
import type { Prices } from "../domain/prices/prices";

/** The current prices of the supported assets and of any other coins. */
export interface PriceFeed {
  /**
   * Returns the newest known prices: at most 30 s old, or up to 5 minutes while the source fails.
   * @throws AppError upstream_* or price_stale when there are no usable prices
   */
  readCurrent(): Promise<Prices>;
  /** Returns US dollars per coin. A price is null when the source has none, and absent while it is unknown. */
  readMintPrices(mints: string[]): Promise<Record<string, number | null>>;
}

/**
 * The past prices of the supported assets: one reading per day (UTC), made at any time of that day. Both methods throw
 * AppError upstream_* when the readings cannot be read.
 */
export interface PriceHistory {
  /** Returns the readings of the last `days` days, oldest first, and their source; null when there are none. */
  readSeries(asset: AssetSymbol, days: number): Promise<{ points: PricePoint[]; source: string | null }>;
  /** Returns US dollars per coin in the reading nearest to `time` (ms since the epoch); null without one within a day. */
  readPriceAt(asset: AssetSymbol, time: number): Promise<number | null>;
}
