import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import { createLoadUser, type QuotaUser, SERVICE_ITSELF } from "../quota/quota-port";

export interface CacheOptions<T> {
  /** How long a value is served, ms, counted from the end of its load or from an earlier `getReadTime`. */
  ttlMs: number;
  clock: Clock;
  maxEntries: number;
  /** Returns when a value was read from its source, ms since the epoch. Absent: at the end of its load. */
  getReadTime?: (value: T) => number;
  /** Called when a caller joins a load in flight, because the load may then use that caller's quota. */
  onJoin?: (loadQuotaUser: QuotaUser, newQuotaUser: QuotaUser) => void;
}

/** @param quotaUser a copy that belongs to this load alone, because Bucket.join changes it */
type Load<T> = (quotaUser: QuotaUser) => Promise<T>;

export type Cache<T> = ReturnType<typeof createCache<T>>;

interface Entry<T> {
  quotaUser: QuotaUser;
  promise: Promise<T>;
  /** Undefined while the load is in flight. */
  value: T | undefined;
  /** Infinity while the load is in flight. */
  expiresAt: number;
}

/**
 * Creates a keyed cache with single flight: callers share a key's load while it is in flight, and its value for `ttlMs`
 * after that.
 *
 * A caller that asks after `invalidate(key)` gets the result of a load that began after the invalidation. A load in
 * flight at that moment answers only the callers that already wait for it. lru-cache's own `fetch` cannot do this: it
 * aborts the load of a deleted key.
 */
export function createCache<T>({ ttlMs, clock, maxEntries, getReadTime, onJoin }: CacheOptions<T>) {
  const entries = createLru<Entry<T>>(maxEntries);

  /** An expiry further away than `ttlMs` means that the clock was set back. */
  const isExpired = ({ expiresAt }: Entry<T>, now: number) =>
    expiresAt <= now || (expiresAt !== Infinity && expiresAt > now + ttlMs);

  const dropExpired = () => {
    const now = clock.now();
    for (const key of entries.rkeys()) {
      const entry = entries.peek(key)!;
      if (isExpired(entry, now)) entries.delete(key);
      else if (entry.value !== undefined) break;
    }
  };

  const startLoad = (key: string, load: Load<T>, user: QuotaUser): Entry<T> => {
    const quotaUser = createLoadUser(user);
    const promise = (async () => load(quotaUser))();
    const entry: Entry<T> = { quotaUser, promise, value: undefined, expiresAt: Infinity };
    entries.set(key, entry);
    promise.then(
      (value) => {
        entry.value = value;
        const now = clock.now();
        entry.expiresAt = Math.min(now, getReadTime?.(value) ?? now) + ttlMs;
      },
      () => entries.peek(key) === entry && entries.delete(key),
    );
    return entry;
  };

  return {
    /** Returns the value, which is shared and read-only. Rejects as `load` does; failures are not cached. */
    get<V extends T>(key: string, load: Load<V>, quotaUser = SERVICE_ITSELF): Promise<V> {
      const cachedEntry = entries.get(key);
      if (cachedEntry && !isExpired(cachedEntry, clock.now())) {
        if (cachedEntry.value === undefined) onJoin?.(cachedEntry.quotaUser, quotaUser);
        return cachedEntry.promise as Promise<V>;
      }
      const { promise } = startLoad(key, load, quotaUser);
      dropExpired();
      return promise as Promise<V>;
    },
    invalidate: (key: string): void => void entries.delete(key),
    /** Invalidates every key for which `isStale` returns true. `value` is undefined while the load is in flight. */
    invalidateWhere(isStale: (key: string, value: T | undefined) => boolean): void {
      for (const key of [...entries.rkeys()]) if (isStale(key, entries.peek(key)!.value)) entries.delete(key);
    },
  };
}

/**
 * Drops the least recently used entry above `maxSize`, the sum of what `getSize` returns. Its memory grows with its
 * entries. With `max`, the library allocates all of it at once, in 16 ms for 100,000 entries.
 */
export const createLru = <T extends {}>(maxSize: number, getSize: (value: T) => number = () => 1) =>
  new LRUCache<string, T>({ maxSize, sizeCalculation: getSize });
