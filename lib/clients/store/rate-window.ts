import type { RateDecision } from "../../ports/rate-limiter";
import { createRecency, type RecencyLinks } from "./recency";

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

/** The times of an address's admitted calls, oldest first, in a ring buffer that grows up to the limit. */
interface CallLog extends RecencyLinks<CallLog> {
  readonly address: string;
  ring: number[];
  oldest: number;
  count: number;
}

/**
 * Creates an exact rolling window per address, in memory.
 * @throws {RangeError} when an option is not a positive integer
 */
export function createRateWindow({ limit, windowMs, maxAddresses }: RateWindowOptions): RateWindow {
  for (const option of [limit, windowMs, maxAddresses]) {
    if (!Number.isSafeInteger(option) || option < 1) throw new RangeError("a rate window needs positive integers");
  }
  const logs = new Map<string, CallLog>();
  const seen = createRecency<CallLog>();

  function dropOneAddress(nowMs: number): void {
    const last = seen.least();
    if (!last) return;
    // One removal per call is enough under any flood: each call adds at most one address.
    if (logs.size <= maxAddresses && !isIdle(last, nowMs - windowMs)) return;
    seen.remove(last);
    logs.delete(last.address);
  }

  return {
    take(address, nowMs) {
      let log = logs.get(address);
      if (log) {
        seen.remove(log);
        clampToNow(log, nowMs);
        dropUntil(log, nowMs - windowMs);
      } else {
        log = { address: copyString(address), ring: [nowMs], oldest: 0, count: 0, newer: null, older: null };
        logs.set(log.address, log);
      }
      seen.add(log);
      const allowed = log.count < limit;
      if (allowed) append(log, nowMs, limit);
      dropOneAddress(nowMs);
      return { allowed, remaining: limit - log.count, resetMs: log.ring[log.oldest]! + windowMs - nowMs };
    },
    get size() {
      return logs.size;
    },
  };
}

/** Copies a string. A substring keeps the whole header that it was cut from alive in V8; a copy does not. */
function copyString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function isIdle({ ring, oldest, count }: CallLog, expiredMs: number): boolean {
  return ring[(oldest + count - 1) % ring.length]! <= expiredMs;
}

function clampToNow({ ring, oldest, count }: CallLog, nowMs: number): void {
  for (let index = count - 1; index >= 0; index--) {
    const slot = (oldest + index) % ring.length;
    if (ring[slot]! <= nowMs) return;
    ring[slot] = nowMs;
  }
}

function dropUntil(log: CallLog, expiredMs: number): void {
  while (log.count > 0 && log.ring[log.oldest]! <= expiredMs) {
    log.oldest = (log.oldest + 1) % log.ring.length;
    log.count--;
  }
}

function append(log: CallLog, nowMs: number, limit: number): void {
  if (log.count === log.ring.length) {
    const { ring, oldest, count } = log;
    // Allocate the exact length: pushing to an array would reserve 17 slots for the second call.
    log.ring = new Array<number>(Math.min(limit, count * 2)).fill(nowMs);
    for (let index = 0; index < count; index++) log.ring[index] = ring[(oldest + index) % count]!;
    log.oldest = 0;
  }
  log.ring[(log.oldest + log.count) % log.ring.length] = nowMs;
  log.count++;
}
