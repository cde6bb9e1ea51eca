import type { DataOf } from "../../../contracts/define";
import type { getPricesContract } from "../../../contracts/get-prices";
import { ASSET_SYMBOLS } from "../../../domain/assets";
import { computeAgeMs } from "../../../domain/prices/age";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import { STALE_AFTER_MS } from "./read-prices";

const MEANINGS = {
  missing: "No usable price is known right now.",
  disputed: "A second source disagrees; nothing is built with this price.",
  jumped: "It has moved by more than 20 % and is not confirmed yet; nothing is built with this price.",
  unchecked: "It could not be compared with what was known; nothing is built with this price.",
};

type PriceList = DataOf<typeof getPricesContract>;

/** Caches the last list of each price reading. Requests in the same millisecond share it. */
const lists = new WeakMap<Prices, PriceList>();

/** Reads the current prices, their age and the doubts about them. @throws AppError upstream_*, price_stale */
export async function readPriceList({ prices, clock }: Deps): Promise<PriceList> {
  const current = await prices.readCurrent();
  const now = clock.now();
  const ageMs = Math.max(0, now - current.fetchedAt);
  const isTooOld = computeAgeMs(current.fetchedAt, now) > STALE_AFTER_MS;
  const last = lists.get(current);
  if (last?.ageMs === ageMs && !isTooOld) return last;
  const list = toList(current, ageMs, isTooOld);
  if (!isTooOld) lists.set(current, list);
  return list;
}

function toList(current: Prices, ageMs: number, isTooOld: boolean): PriceList {
  return {
    prices: current.usd,
    timestamp: new Date(current.fetchedAt).toISOString(),
    ageMs,
    stale: isTooOld || Object.keys(current.doubts).length > 0,
    source: current.source,
    problems: ASSET_SYMBOLS.flatMap((asset) => {
      const problem = current.usd[asset] === undefined ? "missing" : current.doubts[asset];
      return problem ? [{ asset, problem, message: MEANINGS[problem] }] : [];
    }),
  };
}
