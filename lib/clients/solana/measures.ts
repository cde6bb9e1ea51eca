import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { Measures } from "../../ports/measures";
import { createCache } from "../process/cache";
import { createSharedValues, type SharedKv } from "../store/shared-values";
import { ignoreOutage } from "../store/store-failure";

/** How long the shared store and each process keep a number, ms, so it is served for ten minutes at most. */
const { ttlMs: TTL_MS } = STORE_KEYS.measure;
const MAX_ENTRIES = 10_000;

export function createMeasures({ clock, kv }: { clock: Clock; kv?: SharedKv }): Measures {
  const sharedValues = createSharedValues({ kv, family: STORE_KEYS.measure, schema: z.int().nonnegative() });
  const cache = createCache<number | null>({ ttlMs: TTL_MS, clock, maxEntries: MAX_ENTRIES });
  const load = async (key: string, measure: () => Promise<number | null>): Promise<number | null> => {
    const sharedValue = await sharedValues.read(key);
    if (sharedValue !== null) return sharedValue;
    const value = await measure();
    // Keep a number that was written during the measurement: it is newer.
    const writtenValue = await sharedValues.read(key);
    if (writtenValue !== null || value === null) return writtenValue;
    await sharedValues.write(key, value);
    return value;
  };
  const read: Measures["read"] = async (key, measure) => {
    const value = await cache.get(key, () => load(key, measure)).catch(ignoreOutage);
    if (value === null) cache.invalidate(key);
    return value;
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
