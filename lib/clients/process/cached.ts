import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import { type Asker, SERVICE } from "../quota/budget";

export interface CachedOptions<T> {
  /** How long a value is served, counted from the end of its load or from `readAt`, ms. */
  ttlMs: number;
  clock: Clock;
  /** Above this number of keys, the least recently used one is dropped. */
  maxEntries: number;
  /** @param asker the first caller; an object that belongs to this load, see Budget.join */
  load: (key: string, asker: Asker) => Promise<T>;
  /** Returns when a value was read, if that was before its load, ms since the epoch. */
  readAt?: (value: T) => number;
  /** Called when a caller joins a load in flight. */
  joined?: (first: Asker, next: Asker) => void;
}

export interface Cached<T> {
  /**
   * Returns the value of `key`. Rejects as `load` does; failures are not cached. The value is shared: treat it as
   * read-only.
   */
  get(key: string, asker?: Asker): Promise<T>;
  invalidate(key: string): void;
  /** Invalidates every key for which `stale` returns true. `value` is undefined while the load is in flight. */
  invalidateWhere(stale: (key: string, value: T | undefined) => boolean): void;
}

interface Entry<T> {
  asker: Asker;
  promise: Promise<T>;
  value: T | undefined;
  /** Infinity while the load is in flight. */
  expiresAt: number;
}

/**
 * Creates a keyed cache with single flight: callers share a key's load while it is in flight, and its value for
 * `ttlMs` after that.
 *
 * A caller that asks after `invalidate(key)` gets the result of a load that began after the invalidation. A load in
 * flight at that moment still answers the callers that already wait for it. No new caller joins it, and its result is
 * not cached.
 */
export function createCache<T>({ ttlMs, clock, maxEntries, load, readAt, joined }: CachedOptions<T>): Cached<T> {
  const entries = new LRUCache<string, Entry<T>>({ max: maxEntries });

  /** Returns whether the entry has expired. An end further away than `ttlMs` counts too: the clock was set back. */
  const isOver = ({ expiresAt }: Entry<T>, now: number) =>
    expiresAt <= now || (expiresAt !== Infinity && expiresAt > now + ttlMs);

  const dropExpired = () => {
    const now = clock.now();
    for (const key of entries.rkeys()) {
      if (!isOver(entries.peek(key)!, now)) break;
      entries.delete(key);
    }
  };

  const begin = (key: string, { share, address }: Asker): Promise<T> => {
    const asker = { share, address };
    const promise = (async () => load(key, asker))();
    const entry: Entry<T> = { asker, promise, value: undefined, expiresAt: Infinity };
    entries.set(key, entry);
    promise.then(
      (value) => {
        entry.value = value;
        const now = clock.now();
        entry.expiresAt = Math.min(now, readAt?.(value) ?? now) + ttlMs;
      },
      () => {
        if (entries.peek(key) === entry) entries.delete(key);
      },
    );
    dropExpired();
    return promise;
  };

  return {
    get(key, asker = SERVICE) {
      const entry = entries.get(key);
      if (!entry || isOver(entry, clock.now())) return begin(key, asker);
      if (entry.expiresAt === Infinity) joined?.(entry.asker, asker);
      return entry.promise;
    },
    invalidate: (key) => void entries.delete(key),
    invalidateWhere(stale) {
      for (const key of [...entries.rkeys()]) if (stale(key, entries.peek(key)!.value)) entries.delete(key);
    },
  };
}
