import { LRUCache } from "lru-cache";
import { isPossiblePrice } from "../../domain/prices/price-bounds";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { PriceFeed } from "../../ports/prices";
import { type Jupiter, MAX_PRICED_MINTS } from "../jupiter/jupiter";
import { OverQuota } from "../quota/bucket";
import type { QuotaPort, QuotaUser } from "../quota/quota-port";

const MINT_PRICE_TTL_MS = 30_000;
const MAX_CACHED_MINTS = 5_000;
const RETRY_PAUSE_MS = 2_000;

interface MintPricesOptions {
  jupiter: QuotaPort<Pick<Jupiter, "readPrices">>;
  clock: Clock;
}

/**
 * Returns a function that prices any mints, in US dollars per coin; null where the source has no price. One request
 * loads at most 50 mints, so that a wallet flooded with worthless tokens costs no more. It never throws: a mint that
 * was not loaded is absent.
 */
export function createMintPrices({ jupiter, clock }: MintPricesOptions): QuotaPort<PriceFeed>["readMintPrices"] {
  const cacheOptions = { max: MAX_CACHED_MINTS, ttl: MINT_PRICE_TTL_MS, ttlResolution: 0, perf: clock };
  const cachedPrices = new LRUCache<string, { usd: number | null }>(cacheOptions);
  const loadsInFlight = new Map<string, Promise<void>>();
  let pauseEndsAt = 0;

  const loadBatch = async (quotaUser: QuotaUser, batch: string[]): Promise<void> => {
    try {
      const prices = await jupiter.readPrices(quotaUser, batch);
      for (const mint of batch) {
        const usd = prices[mint]?.usd;
        cachedPrices.set(mint, { usd: usd !== undefined && isPossiblePrice(usd) ? usd : null });
      }
    } catch (error) {
      // The used-up quota of one client must not pause the loads of the others.
      const isDown = !(error instanceof AppError && error.details.cause instanceof OverQuota);
      if (isDown) pauseEndsAt = clock.now() + RETRY_PAUSE_MS;
    }
    for (const mint of batch) loadsInFlight.delete(mint);
  };

  return async (quotaUser, mints) => {
    const uniqueMints = [...new Set(mints)];
    const missingMints = uniqueMints.filter((mint) => !cachedPrices.has(mint) && !loadsInFlight.has(mint));
    const batch = missingMints.slice(0, MAX_PRICED_MINTS);
    if (batch.length > 0 && clock.now() >= pauseEndsAt) {
      const load = loadBatch(quotaUser, batch);
      for (const mint of batch) loadsInFlight.set(mint, load);
    }
    await Promise.all(uniqueMints.map((mint) => loadsInFlight.get(mint)));
    const loadedPrices = uniqueMints.flatMap((mint): [string, number | null][] => {
      const price = cachedPrices.get(mint);
      return price ? [[mint, price.usd]] : [];
    });
    return Object.fromEntries(loadedPrices);
  };
}
