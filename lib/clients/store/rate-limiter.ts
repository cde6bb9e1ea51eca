import { z } from "zod";
import { CALL_RATE_LIMIT, RATE_WINDOW_MS } from "../../domain/limits";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { RateDecision, RateLimiter } from "../../ports/rate-limiter";
import { createLru } from "../process/cache";
import { checkKey } from "./kv-rules";
import { checkReply, type StoreCommands } from "./kv-shared";

const DecisionReply = z.tuple([z.literal([0, 1]), z.number().int().min(0), z.number().int().min(0)]);

/**
 * Counts calls per address over all processes that share the store, exactly, with one script on the store's clock.
 * @throws AppError upstream_* when the store cannot answer. The call is then neither admitted nor refused
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

/**
 * Counts calls per address in this process, exactly, over a rolling window. All options are positive integers. A call
 * may name another limit. Above `maxAddresses`, the least recently seen address is dropped.
 */
export function createMemoryRateLimiter(
  { now }: Pick<Clock, "now">,
  { limit: defaultLimit = CALL_RATE_LIMIT, windowMs = RATE_WINDOW_MS, maxAddresses = 100_000 } = {},
) {
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
     * Requests one call. A call made exactly `windowMs` ago no longer counts. When the clock steps back, calls in its
     * future count as made now. So at most `limit` calls pass in a window of true time, and no address waits longer.
     */
    take(address: string, limit = defaultLimit): RateDecision {
      const nowMs = now();
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
    get size() {
      return callsByAddress.size;
    },
  };
}

/** Copies a string. A substring keeps the whole header that it was cut from alive in V8; a copy does not. */
function copyString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
