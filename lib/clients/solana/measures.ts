import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { Measures } from "../../ports/measures";
import { createCache } from "../process/cache";
import { createSharedValues } from "../store/shared-values";

/** How long the shared store and each process keep a number, ms, so it is served for ten minutes at most. */
const { ttlMs: TTL_MS } = STORE_KEYS.measure;
const MAX_ENTRIES = 10_000;
/** A longer key is not shared, because a store takes keys of up to 512 characters. */
const MAX_SHARED_KEY_CHARACTERS = 400;

/** Thrown by a load that found no number, so that the cache does not keep it. */
class NotMeasured extends Error {}

/** Creates the measured numbers. @param kv the store of several instances, which share the numbers */
export function createMeasures({
  clock,
  kv,
}: {
  clock: Clock;
  kv?: Pick<KvStore, "get" | "set"> | undefined;
}): Measures {
  const sharedValues = kv && createSharedValues({ kv, family: STORE_KEYS.measure, schema: z.int().nonnegative() });
  const findShared = (key: string) => (key.length <= MAX_SHARED_KEY_CHARACTERS ? sharedValues : undefined);
  const measureByKey = new Map<string, () => Promise<number | null>>();
  const cache = createCache({
    ttlMs: TTL_MS,
    refreshAfterMs: TTL_MS / 2,
    clock,
    maxEntries: MAX_ENTRIES,
    async load(key) {
      const measure = measureByKey.get(key)!;
      const sharedValue = await findShared(key)?.read(key);
      if (sharedValue != null) return sharedValue;
      const value = await measure();
      if (value === null) throw new NotMeasured();
      // Keep a number that was written during the measurement: it is newer.
      const writtenValue = await findShared(key)?.read(key);
      if (writtenValue != null) return writtenValue;
      await findShared(key)?.write(key, value);
      return value;
    },
  });
  const read: Measures["read"] = async (key, measure) => {
    // The cache begins a load within this call, or not at all.
    measureByKey.set(key, measure);
    const reading = cache.get(key);
    measureByKey.delete(key);
    try {
      return await reading;
    } catch (error) {
      if (error instanceof NotMeasured || error instanceof AppError) return null;
      throw error;
    }
  };
  return {
    read,
    async write(key, value) {
      await findShared(key)?.write(key, value);
      cache.invalidate(key);
      await read(key, async () => value);
    },
  };
}
