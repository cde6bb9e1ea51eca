import type { Clock } from "../../ports/clock";
import { type Asker, SERVICE } from "../quota/budget";
import { createLru } from "./lru";

export interface CacheOptions<T> {
  /** How long a value is served, counted from the end of its load or from `readAt`, ms. */
  ttlMs: number;
  /**
   * From this age on, ms, a call starts the next load and is still answered with the present value. Callers of a busy
   * key then never wait. Default: the value is loaded again after it has expired.
   */
  refreshAfterMs?: number;
  clock: Clock;
  /** Above this number of keys, the least recently used one is dropped. */
  maxEntries: number;
  /** @param asker the first caller; an object that belongs to this load, see Budget.join */
  load: (key: string, asker: Asker) => Promise<T>;
  /** Returns when a value was read, if that was before its load, ms since the epoch. */
  readAt?: (value: T) => number;
  /** Called when a caller joins a load in flight. */
  onJoin?: (first: Asker, next: Asker) => void;
}

export interface Cache<T> {
  /**
   * Returns the value of `key`. Rejects as `load` does; failures are not cached. The value is shared: treat it as
   * read-only.
   */
  get(key: string, asker?: Asker): Promise<T>;
  invalidate(key: string): void;
  /** Invalidates every key for which `isStale` returns true. `value` is undefined while the load is in flight. */
  invalidateWhere(isStale: (key: string, value: T | undefined) => boolean): void;
}

interface Entry<T> {
  asker: Asker;
  promise: Promise<T>;
  value: T | undefined;
  /** Infinity while the load is in flight. */
  expiresAt: number;
  /** From then on, the next call starts the next load. Infinity while the load is in flight, and after that call. */
  refreshAt: number;
  /** The load in flight that was started before this value expired. */
  next?: Entry<T>;
}

/**
 * Creates a keyed cache with single flight: callers share a key's load while it is in flight, and its value for
 * `ttlMs` after that.
 *
 * A caller that asks after `invalidate(key)` gets the result of a load that began after the invalidation. A load in
 * flight at that moment still answers the callers that already wait for it. No new caller joins it, and its result is
 * not cached. lru-cache's own `fetch` cannot do this: it aborts the load of a deleted key.
 */
export function createCache<T>(options: CacheOptions<T>): Cache<T> {
  const { ttlMs, refreshAfterMs = ttlMs, clock, maxEntries, load, readAt, onJoin } = options;
  const entries = createLru<Entry<T>>(maxEntries);

  /** Returns whether the entry has expired. An end further away than `ttlMs` counts too: the clock was set back. */
  const isExpired = ({ expiresAt }: Entry<T>, now: number) =>
    expiresAt <= now || (expiresAt !== Infinity && expiresAt > now + ttlMs);

  const dropExpired = () => {
    const now = clock.now();
    for (const key of entries.rkeys()) {
      if (!isExpired(entries.peek(key)!, now)) break;
      entries.delete(key);
    }
  };

  const startLoad = (key: string, { share, address }: Asker): Entry<T> => {
    const asker = { share, address };
    const promise = (async () => load(key, asker))();
    const entry: Entry<T> = { asker, promise, value: undefined, expiresAt: Infinity, refreshAt: Infinity };
    promise.then(
      (value) => {
        entry.value = value;
        const now = clock.now();
        entry.expiresAt = Math.min(now, readAt?.(value) ?? now) + ttlMs;
        entry.refreshAt = entry.expiresAt - ttlMs + refreshAfterMs;
        const current = entries.peek(key);
        if (current?.next === entry) entries.set(key, entry);
      },
      () => {
        const current = entries.peek(key);
        if (current === entry) entries.delete(key);
        else if (current?.next === entry) delete current.next;
      },
    );
    return entry;
  };

  /** Replaces the entry of `key` with the load that is in flight for it, or with a new one. */
  const replace = (key: string, expired: Entry<T> | undefined, asker: Asker): Promise<T> => {
    const { next } = expired ?? {};
    const entry = next ?? startLoad(key, asker);
    if (next) onJoin?.(next.asker, asker);
    entries.set(key, entry);
    dropExpired();
    return entry.promise;
  };

  return {
    get(key, asker = SERVICE) {
      const entry = entries.get(key);
      const now = clock.now();
      if (!entry || isExpired(entry, now)) return replace(key, entry, asker);
      if (entry.expiresAt === Infinity) onJoin?.(entry.asker, asker);
      if (now >= entry.refreshAt) {
        entry.refreshAt = Infinity;
        entry.next = startLoad(key, asker);
      }
      return entry.promise;
    },
    invalidate: (key) => void entries.delete(key),
    invalidateWhere(isStale) {
      for (const key of [...entries.rkeys()]) {
        const entry = entries.peek(key)!;
        if (isStale(key, entry.value)) entries.delete(key);
        else if (entry.next && isStale(key, undefined)) delete entry.next;
      }
    },
  };
}
