import type { Clock } from "../../ports/clock";
import { createLoadUser, type QuotaUser, SERVICE_ITSELF } from "../quota/quota-port";
import { createLru } from "./lru";

export interface CacheOptions<T> {
  /** How long a value is served, ms, counted from the end of its load or from an earlier `getReadTime`. */
  ttlMs: number;
  clock: Clock;
  /** Above this number of keys, the least recently used one is dropped. */
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
  /** When the next call starts the next load, ms since the epoch. Infinity while a load is in flight. */
  refreshAt: number;
  /** The load in flight that was started before this value expired. */
  nextEntry?: Entry<T>;
}

/**
 * Creates a keyed cache with single flight: callers share a key's load while it is in flight, and its value for
 * `ttlMs` after that.
 *
 * A caller that asks after `invalidate(key)` gets the result of a load that began after the invalidation. A load in
 * flight at that moment still answers the callers that already wait for it. No new caller joins it, and its result is
 * not cached. lru-cache's own `fetch` cannot do this: it aborts the load of a deleted key.
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

  const startLoad = (key: string, load: Load<T>, user: QuotaUser, refreshAfterMs: number): Entry<T> => {
    const quotaUser = createLoadUser(user);
    const promise = (async () => load(quotaUser))();
    const entry: Entry<T> = { quotaUser, promise, value: undefined, expiresAt: Infinity, refreshAt: Infinity };
    promise.then(
      (value) => {
        entry.value = value;
        const now = clock.now();
        entry.expiresAt = Math.min(now, getReadTime?.(value) ?? now) + ttlMs;
        entry.refreshAt = entry.expiresAt - ttlMs + refreshAfterMs;
        const currentEntry = entries.peek(key);
        if (currentEntry?.nextEntry === entry) entries.set(key, entry);
      },
      () => {
        const currentEntry = entries.peek(key);
        if (currentEntry === entry) entries.delete(key);
        else if (currentEntry?.nextEntry === entry) delete currentEntry.nextEntry;
      },
    );
    return entry;
  };

  return {
    /**
     * Returns the value, which is shared and read-only. Rejects as `load` does; failures are not cached.
     * @param key names one value for all callers
     * @param refreshAfterMs from this age on, a call starts the next load and is still answered with the present value.
     * Callers of a busy key then never wait. Default: the value is loaded again after it has expired
     */
    get<V extends T>(key: string, load: Load<V>, quotaUser = SERVICE_ITSELF, refreshAfterMs = ttlMs): Promise<V> {
      const cachedEntry = entries.get(key);
      const now = clock.now();
      const isUsable = cachedEntry !== undefined && !isExpired(cachedEntry, now);
      const entry = isUsable
        ? cachedEntry
        : (cachedEntry?.nextEntry ?? startLoad(key, load, quotaUser, refreshAfterMs));
      if (!isUsable) {
        entries.set(key, entry);
        dropExpired();
      }
      if (entry.value === undefined) onJoin?.(entry.quotaUser, quotaUser);
      else if (now >= entry.refreshAt) {
        entry.refreshAt = Infinity;
        entry.nextEntry = startLoad(key, load, quotaUser, refreshAfterMs);
      }
      return entry.promise as Promise<V>;
    },
    invalidate: (key: string): void => void entries.delete(key),
    /** Invalidates every key for which `isStale` returns true. `value` is undefined while the load is in flight. */
    invalidateWhere(isStale: (key: string, value: T | undefined) => boolean): void {
      for (const key of [...entries.rkeys()]) {
        const entry = entries.peek(key)!;
        if (isStale(key, entry.value)) entries.delete(key);
        else if (entry.nextEntry && isStale(key, undefined)) delete entry.nextEntry;
      }
    },
  };
}
