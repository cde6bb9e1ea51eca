import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Measures } from "../../ports/measures";
import { createCache } from "../process/cache";
import { SERVICE_ITSELF } from "../quota/quota-port";
import { createSharedValues, type SharedKv } from "../store/shared-values";

/** How long the shared store and each process keep a number, ms, so it is served for ten minutes at most. */
const { ttlMs: TTL_MS } = STORE_KEYS.measure;
const MAX_ENTRIES = 10_000;

/** Thrown by a load that found no number, so that the cache does not keep it. */
class NotMeasured extends Error {}

/** Creates the measured numbers. */
export function createMeasures({ clock, kv }: { clock: Clock; kv?: SharedKv }): Measures {
  const sharedValues = createSharedValues({ kv, family: STORE_KEYS.measure, schema: z.int().nonnegative() });
  const cache = createCache<number>({ ttlMs: TTL_MS, clock, maxEntries: MAX_ENTRIES });
  const load = async (key: string, measure: () => Promise<number | null>): Promise<number> => {
    const sharedValue = await sharedValues.read(key);
    if (sharedValue !== null) return sharedValue;
    const value = await measure();
    if (value === null) throw new NotMeasured();
    // Keep a number that was written during the measurement: it is newer.
    const writtenValue = await sharedValues.read(key);
    if (writtenValue !== null) return writtenValue;
    await sharedValues.write(key, value);
    return value;
  };
  const read: Measures["read"] = async (key, measure) => {
    try {
      return await cache.get(key, () => load(key, measure), SERVICE_ITSELF, TTL_MS / 2);
    } catch (error) {
      if (error instanceof NotMeasured || error instanceof AppError) return null;
      throw error;
    }
  };
  return {
    read,
    async write(key, value) {
      await sharedValues.write(key, value);
      cache.invalidate(key);
      await read(key, async () => value);
    },
  };
}
