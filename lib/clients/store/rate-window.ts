import { LRUCache } from "lru-cache";
import type { RateDecision } from "../../ports/rate-limiter";

/** The number of addresses remembered, which bounds the memory however many addresses call. */
export const RATE_MAX_ADDRESSES = 100_000;

export interface RateWindow {
  /**
   * Requests one call of `address` at `nowMs` (any epoch, ms). A call made exactly `windowMs` ago no longer counts. A
   * refused call is not recorded. When the clock steps back, calls in its future count as made now. So at most
   * `limit` calls pass in a window of true time, and no address waits longer than `windowMs`.
   */
  take(address: string, nowMs: number): RateDecision;
  /** The number of addresses remembered, 0 … `maxAddresses`. */
  readonly size: number;
}

export interface RateWindowOptions {
  /** Calls per window and address, ≥ 1. */
  limit: number;
  windowMs: number;
  /** At least 1. Above it, the least recently seen address is dropped. */
  maxAddresses: number;
}

/**
 * Creates an exact rolling window per address, in memory.
 * @throws {RangeError} when an option is not a positive integer
 */
export function createRateWindow({ limit, windowMs, maxAddresses }: RateWindowOptions): RateWindow {
  for (const option of [limit, windowMs, maxAddresses]) {
    if (!Number.isSafeInteger(option) || option < 1) throw new RangeError("a rate window needs positive integers");
  }
  /** The times of each address's admitted calls, oldest first. */
  const callsOf = new LRUCache<string, number[]>({ max: maxAddresses });

  /** Drops the least recently seen address if it is idle. One per call is enough: a call adds at most one address. */
  function dropIdle(nowMs: number): void {
    const oldest = callsOf.rkeys().next().value;
    if (oldest && callsOf.peek(oldest)!.at(-1)! <= nowMs - windowMs) callsOf.delete(oldest);
  }

  return {
    take(address, nowMs) {
      const known = callsOf.get(address);
      const calls = known ?? [];
      while (calls.length > 0 && calls[0]! <= nowMs - windowMs) calls.shift();
      // The clock was set back: calls in its future count as made now.
      for (let last = calls.length - 1; calls[last]! > nowMs; last--) calls[last] = nowMs;
      const allowed = calls.length < limit;
      if (allowed) calls.push(nowMs);
      if (!known) callsOf.set(copyString(address), calls);
      dropIdle(nowMs);
      return { allowed, remaining: limit - calls.length, resetMs: calls[0]! + windowMs - nowMs };
    },
    get size() {
      return callsOf.size;
    },
  };
}

/** Copies a string. A substring keeps the whole header that it was cut from alive in V8; a copy does not. */
function copyString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
