import { z } from "zod";
import { CALL_RATE_LIMIT, RATE_WINDOW_MS } from "../../domain/limits";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { RateDecision, RateLimiter } from "../../ports/rate-limiter";
import { createLru } from "../process/lru";
import { checkKey } from "./kv-rules";
import { checkReply, type StoreCommands } from "./kv-shared";

/**
 * Creates a limiter that counts calls per address in this process, over any rolling 60 s. It remembers at most
 * 100,000 addresses.
 * @param limit calls per address and window
 */
export function createMemoryRateLimiter(clock: Pick<Clock, "now">, limit = CALL_RATE_LIMIT) {
  const window = createRateWindow({ limit, windowMs: RATE_WINDOW_MS, maxAddresses: RATE_MAX_ADDRESSES });
  return { take: (address: string, callLimit?: number): RateDecision => window.take(address, clock.now(), callLimit) };
}

const DecisionReply = z.tuple([z.literal([0, 1]), z.number().int().min(0), z.number().int().min(0)]);

/**
 * Creates a limiter that counts calls per address over all processes that share the store. It counts exactly, with one
 * atomic script on the store's clock.
 * @throws AppError upstream_timeout, upstream_unavailable or upstream_invalid when the store cannot answer. The call is
 * then neither admitted nor refused.
 */
export function createKvRateLimiter({ runScript }: Pick<StoreCommands, "runScript">): RateLimiter {
  return {
    async take(address, limit = CALL_RATE_LIMIT) {
      const key = STORE_KEYS.rateLimit.toKey(address);
      checkKey(key);
      const [allowedFlag, remaining, resetMs] = checkReply(
        DecisionReply,
        await runScript("takeCall", key, [String(limit), String(RATE_WINDOW_MS)]),
      );
      return { isAllowed: allowedFlag === 1, remaining, resetMs };
    },
  };
}

/** The number of addresses remembered, which bounds the memory however many addresses call. */
export const RATE_MAX_ADDRESSES = 100_000;

interface RateWindowOptions {
  /** Calls per window and address. A call may name another limit. */
  limit: number;
  windowMs: number;
  /** Above this number, the least recently seen address is dropped. */
  maxAddresses: number;
}

/** Creates an exact rolling window per address, in memory. All options are positive integers. */
export function createRateWindow({ limit: defaultLimit, windowMs, maxAddresses }: RateWindowOptions) {
  /** The times of each address's admitted calls, oldest first. */
  const callsByAddress = createLru<number[]>(maxAddresses);

  /** Drops the least recently seen address if it is idle. One per call is enough: a call adds at most one address. */
  function dropOldestIfIdle(nowMs: number): void {
    const oldestAddress = callsByAddress.rkeys().next().value;
    if (oldestAddress !== undefined && callsByAddress.peek(oldestAddress)!.at(-1)! <= nowMs - windowMs)
      callsByAddress.delete(oldestAddress);
  }

  return {
    /**
     * Requests one call of `address` at `nowMs` (any epoch, ms). A call made exactly `windowMs` ago no longer counts.
     * A refused call is not recorded. When the clock steps back, calls in its future count as made now. So at most
     * `limit` calls pass in a window of true time, and no address waits longer than `windowMs`.
     */
    take(address: string, nowMs: number, limit = defaultLimit): RateDecision {
      const callTimes = callsByAddress.get(address);
      if (!callTimes) {
        // A literal has room for one call. The first push would reserve 17.
        callsByAddress.set(copyString(address), [nowMs]);
        dropOldestIfIdle(nowMs);
        return { isAllowed: true, remaining: limit - 1, resetMs: windowMs };
      }
      while (callTimes.length > 0 && callTimes[0]! <= nowMs - windowMs) callTimes.shift();
      for (let last = callTimes.length - 1; callTimes[last]! > nowMs; last--) callTimes[last] = nowMs;
      const isAllowed = callTimes.length < limit;
      if (isAllowed) callTimes.push(nowMs);
      dropOldestIfIdle(nowMs);
      return { isAllowed, remaining: Math.max(0, limit - callTimes.length), resetMs: callTimes[0]! + windowMs - nowMs };
    },
    /** Returns the number of addresses remembered, 0 to `maxAddresses`. */
    get size() {
      return callsByAddress.size;
    },
  };
}

/** Copies a string. A substring keeps the whole header that it was cut from alive in V8; a copy does not. */
function copyString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
