import { isPossiblePrice } from "../../domain/prices/price-bounds";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { PriceFeed } from "../../ports/prices";
import { type Jupiter, MAX_PRICED_MINTS } from "../jupiter/jupiter";
import { OverQuota } from "../quota/bucket";
import type { QuotaPort, QuotaUser } from "../quota/quota-port";

/** How long a mint's price is cached, ms. The absence of a price is cached as well. */
const MINT_PRICE_TTL_MS = 30_000;
const MAX_CACHED_MINTS = 5_000;
/** After a failed load, no load starts for this time, ms. */
const RETRY_PAUSE_MS = 2_000;

interface CachedPrice {
  /** Null when the mint has no price. */
  usd: number | null;
  /** Infinity while the load is in flight. */
  expiresAt: number;
  loadInFlight: Promise<void> | null;
}

interface MintPricesOptions {
  jupiter: QuotaPort<Pick<Jupiter, "readPrices">>;
  clock: Clock;
}

/**
 * Returns a function that prices any mints, in US dollars per coin; null where the source has no price. One request
 * loads at most 50 mints, because a wallet flooded with worthless tokens must not cost more. Concurrent callers share
 * loads even when their mints overlap only in part. The function never throws: a mint that was not loaded, or whose
 * load failed, is absent.
 */
export function createMintPrices({ jupiter, clock }: MintPricesOptions): QuotaPort<PriceFeed>["readMintPrices"] {
  /** Prices by mint, in the order of loading, which is also the order of expiry. */
  const entries = new Map<string, CachedPrice>();
  let pauseEndsAt = 0;

  const loadBatch = async (quotaUser: QuotaUser, batch: string[]): Promise<void> => {
    try {
      const prices = await jupiter.readPrices(quotaUser, batch);
      const expiresAt = clock.now() + MINT_PRICE_TTL_MS;
      for (const mint of batch) {
        const usd = prices[mint]?.usd;
        const possibleUsd = usd !== undefined && isPossiblePrice(usd) ? usd : null;
        entries.delete(mint);
        entries.set(mint, { usd: possibleUsd, expiresAt, loadInFlight: null });
      }
    } catch (error) {
      // The used-up quota of one client must not pause the loads of the others.
      const isDown = !(error instanceof AppError && error.details.cause instanceof OverQuota);
      if (isDown) pauseEndsAt = clock.now() + RETRY_PAUSE_MS;
      for (const mint of batch) entries.delete(mint);
    }
    dropExpiredAndExcess();
  };

  const dropExpiredAndExcess = () => {
    const now = clock.now();
    for (const [mint, entry] of entries) {
      if (entries.size <= MAX_CACHED_MINTS && entry.expiresAt > now) break;
      entries.delete(mint);
    }
  };

  const loadMissing = (quotaUser: QuotaUser, mints: string[]): void => {
    const now = clock.now();
    if (now < pauseEndsAt) return;
    const missingMints = mints.filter((mint) => (entries.get(mint)?.expiresAt ?? 0) <= now);
    const batch = missingMints.slice(0, MAX_PRICED_MINTS);
    if (batch.length === 0) return;
    const loadInFlight = loadBatch(quotaUser, batch);
    for (const mint of batch) entries.set(mint, { usd: null, expiresAt: Infinity, loadInFlight });
  };

  return async (quotaUser, mints) => {
    const uniqueMints = [...new Set(mints)];
    loadMissing(quotaUser, uniqueMints);
    await Promise.all(uniqueMints.map((mint) => entries.get(mint)?.loadInFlight));
    const now = clock.now();
    const loadedPrices = uniqueMints.flatMap((mint): [string, number | null][] => {
      const entry = entries.get(mint);
      return entry && entry.expiresAt > now ? [[mint, entry.usd]] : [];
    });
    return Object.fromEntries(loadedPrices);
  };
}
