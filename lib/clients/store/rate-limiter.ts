import { z } from "zod";
import { RATE_LIMIT, RATE_WINDOW_MS } from "../../domain/limits";
import type { Clock } from "../../ports/clock";
import type { RateDecision, RateLimiter } from "../../ports/rate-limiter";
import { checkKey } from "./kv-rules";
import { checkReply, type StoreCommands } from "./kv-shared";
import { createRateWindow, RATE_MAX_ADDRESSES } from "./rate-window";

/**
 * Counts calls per address in this process, over any rolling 60 s. Remembers at most 100,000 addresses.
 * @param limit calls per address and window
 */
export function memoryRateLimiter(clock: Pick<Clock, "now">, limit = RATE_LIMIT) {
  const window = createRateWindow({ limit, windowMs: RATE_WINDOW_MS, maxAddresses: RATE_MAX_ADDRESSES });
  return { take: (address: string): RateDecision => window.take(address, clock.now()) };
}

const Decision = z.tuple([z.literal([0, 1]), z.number().int().min(0), z.number().int().min(0)]);

/**
 * Counts calls per address over all processes that share the store, exactly: one atomic script, on the store's clock.
 * @throws AppError upstream_timeout, upstream_unavailable or upstream_invalid when the store cannot answer. The call
 * is then neither admitted nor refused. A caller that falls back to memoryRateLimiter keeps each process limited and
 * the service up.
 */
export function kvRateLimiter({ run }: Pick<StoreCommands, "run">): RateLimiter {
  const args = [String(RATE_LIMIT), String(RATE_WINDOW_MS)];
  return {
    async take(address) {
      const key = `rate-calls:${address}`;
      checkKey(key);
      const [allowed, remaining, resetMs] = checkReply(Decision, await run("takeCall", key, args));
      return { allowed: allowed === 1, remaining, resetMs };
    },
  };
}
