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
  const [currentPrices, ...dailySeries] = await Promise.all([
    readPricesOrNull(deps),
    ...assets.map((symbol) => deps.priceHistory.readSeries(symbol, days)),
  ]);
  const series = assets.map((symbol, i) => ({
    asset: symbol,
    points: appendCurrentPrice(dailySeries[i]!.points, symbol, currentPrices),
  }));
  const sources = [...dailySeries.map(({ source }) => source), currentPrices?.source].flatMap(
    (source) => source?.split("+") ?? [],
  );
  const source = [...new Set(sources)].sort().join("+") || null;
  return asset === "all" ? { asset, source, series } : { asset, source, points: series[0]!.points };
}

/** Appends the current price to the daily prices, and reduces the points to at most MAX_POINTS. */
function appendCurrentPrice(dailyPoints: PricePoint[], asset: AssetSymbol, currentPrices: Prices | null) {
  const usd = currentPrices?.usd[asset];
  const currentPoint = currentPrices && usd !== undefined ? { time: currentPrices.fetchedAt, usd } : null;
  const points = currentPoint
    ? [...dailyPoints.filter(({ time }) => time < currentPoint.time), currentPoint]
    : dailyPoints;
  return pickEvenlySpaced(points, MAX_POINTS).map((point) => ({ ...point, time: new Date(point.time).toISOString() }));
}
