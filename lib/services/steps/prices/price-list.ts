import type { DataOf } from "../../../contracts/define";
import type { getPricesContract } from "../../../contracts/get-prices";
import { ASSET_SYMBOLS } from "../../../domain/assets";
import { computeAgeMs } from "../../../domain/prices/age";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import { STALE_AFTER_MS } from "./read-prices";

const PROBLEM_TEXTS = {
  missing: "No usable price is known right now.",
  disputed: "A second source disagrees; nothing is built with this price.",
  jumped: "It has moved by more than 20 % and is not confirmed yet; nothing is built with this price.",
  unchecked: "It could not be compared with what was known; nothing is built with this price.",
};

type PriceList = DataOf<typeof getPricesContract>;

/** Caches the last list of each price reading. Requests in the same millisecond share it. */
const cachedLists = new WeakMap<Prices, PriceList>();

/** Reads the current prices, their age and the doubts about them. @throws AppError upstream_*, price_stale */
export async function readPriceList({ prices, clock }: Deps): Promise<PriceList> {
  const currentPrices = await prices.readCurrent();
  const now = clock.now();
  const ageMs = Math.max(0, now - currentPrices.fetchedAt);
  const isTooOld = computeAgeMs(currentPrices.fetchedAt, now) > STALE_AFTER_MS;
  const cachedList = cachedLists.get(currentPrices);
  if (cachedList?.ageMs === ageMs && !isTooOld) return cachedList;
  const list: PriceList = {
    prices: currentPrices.usd,
    timestamp: new Date(currentPrices.fetchedAt).toISOString(),
    ageMs,
    stale: isTooOld || Object.keys(currentPrices.doubts).length > 0,
    source: currentPrices.source,
    problems: ASSET_SYMBOLS.flatMap((asset) => {
      const problem = currentPrices.usd[asset] === undefined ? "missing" : currentPrices.doubts[asset];
      return problem ? [{ asset, problem, message: PROBLEM_TEXTS[problem] }] : [];
    }),
  };
  if (!isTooOld) cachedLists.set(currentPrices, list);
  return list;
}
