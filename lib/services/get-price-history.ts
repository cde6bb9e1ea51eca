import type { DataOf, InputOf } from "../contracts/define";
import { type getPriceHistoryContract, MAX_POINTS } from "../contracts/get-price-history";
import { ASSET_SYMBOLS, type AssetSymbol } from "../domain/assets";
import { type PricePoint, pickEvenlySpaced } from "../domain/prices/price-history";
import type { Prices } from "../domain/prices/prices";
import type { Deps } from "../ports/deps";
import { readPricesOrNull } from "./steps/prices/read-prices";

const DEFAULT_DAYS = 365;

/** Returns the daily prices of one asset or of all assets, and the current price as the last point. */
export async function getPriceHistory(
  deps: Deps,
  { asset = "all", days = DEFAULT_DAYS }: InputOf<typeof getPriceHistoryContract>,
): Promise<DataOf<typeof getPriceHistoryContract>> {
  const assets = asset === "all" ? ASSET_SYMBOLS : [asset];
  const [current, ...known] = await Promise.all([
    readPricesOrNull(deps),
    ...assets.map((symbol) => deps.priceHistory.readSeries(symbol, days)),
  ]);
  const series = assets.map((symbol, i) => ({
    asset: symbol,
    points: appendCurrentPrice(known[i]!.points, symbol, current),
  }));
  const sources = [...known.map(({ source }) => source), current?.source].flatMap((source) => source?.split("+") ?? []);
  const source = [...new Set(sources)].sort().join("+") || null;
  return asset === "all" ? { asset, source, series } : { asset, source, points: series[0]!.points };
}

/** Appends the current price to the daily prices and thins out the points. */
function appendCurrentPrice(days: PricePoint[], asset: AssetSymbol, current: Prices | null) {
  const usd = current?.usd[asset];
  const now = current && usd !== undefined ? { time: current.fetchedAt, usd } : null;
  const all = now ? [...days.filter(({ time }) => time < now.time), now] : days;
  return pickEvenlySpaced(all, MAX_POINTS).map((point) => ({ ...point, time: new Date(point.time).toISOString() }));
}
