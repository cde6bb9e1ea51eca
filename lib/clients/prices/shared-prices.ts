import { z } from "zod";
import { ASSET_SYMBOLS } from "../../domain/assets";
import type { Prices } from "../../domain/prices/prices";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { ReadingStore } from "../store/reading-store";
import { createSharedValues } from "../store/shared-values";
import { ignoreOutage } from "../store/store-failure";

/** `ttlMs` is how long one instance holds the lease for reading the prices: the timeout of one upstream call. */
const { toKey: toPricesKey, ttlMs: READING_TTL_MS } = STORE_KEYS.currentPrices;
const { toKey: toLeaseKey, ttlMs: LEASE_MS } = STORE_KEYS.currentPricesLease;
const POLL_MS = 100;

const Asset = z.enum(ASSET_SYMBOLS);
const Usd = z.number().positive();

const SharedReading: z.ZodType<Prices> = z.object({
  usd: z.partialRecord(Asset, Usd).and(z.object({ SOL: Usd })),
  fetchedAt: z.number(),
  source: z.string(),
  doubts: z.partialRecord(Asset, z.enum(["disputed", "jumped", "unchecked"])),
  secondSource: z.enum(["answers", "silent", "unauthorised"]).nullable(),
  referenceUsd: z.partialRecord(Asset, Usd).optional(),
});

/**
 * Returns a function that shares each reading of the prices between instances. One instance reads the sources with
 * `read` while the others wait. They read the sources themselves when that takes longer than LEASE_MS, and while the
 * store fails. `isUsable` returns whether this instance may serve another instance's reading.
 */
export function createSharedPriceReader({ kv, clock }: { kv: ReadingStore; clock: Clock }) {
  const sharedReadings = createSharedValues({
    kv,
    family: { toKey: () => toPricesKey(), ttlMs: READING_TTL_MS },
    schema: SharedReading,
  });
  const takeLease = async () => (await kv.setIfAbsent(toLeaseKey(), true, LEASE_MS).catch(ignoreOutage)) ?? true;

  return async (read: () => Promise<Prices>, isUsable: (prices: Prices) => boolean): Promise<Prices> => {
    const waitEndsAt = clock.now() + LEASE_MS;
    for (;;) {
      const storedReading = await sharedReadings.read("newest");
      if (storedReading && isUsable(storedReading)) return storedReading;
      if (clock.now() >= waitEndsAt || (await takeLease())) break;
      await clock.sleep(POLL_MS);
    }
    try {
      const prices = await read();
      await sharedReadings.write("newest", prices);
      return prices;
    } finally {
      // Also after a wait without the lease, which has expired by then. To delete a newer lease costs one more reading.
      await kv.delete(toLeaseKey()).catch(ignoreOutage);
    }
  };
}
