import type { Runtime } from "../deps";
import { RATE_LIMIT, RATE_WINDOW_MS } from "../domain/limits";
import { AppError } from "../errors";
import type { RateDecision } from "../ports/rate-limiter";
import type { ResponseHeaders } from "./message";

const WINDOW_SECONDS = RATE_WINDOW_MS / 1000;

/**
 * Counts one call of an address and sets the rate limit headers.
 * @throws AppError rate_limited
 */
export async function takeCall(runtime: Runtime, address: string, headers: ResponseHeaders): Promise<void> {
  const taken = runtime.limiter.take(address);
  const { allowed, remaining, resetMs } =
    taken instanceof Promise ? await fallBackToLocal(taken, runtime, address) : taken;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  headers["x-ratelimit-limit"] = String(RATE_LIMIT);
  headers["x-ratelimit-remaining"] = String(remaining);
  headers["x-ratelimit-reset"] = String(Math.ceil((runtime.deps.clock.now() + resetMs) / 1000));
  headers.ratelimit = `"default";r=${remaining};t=${seconds}`;
  headers["ratelimit-policy"] = `"default";q=${RATE_LIMIT};w=${WINDOW_SECONDS}`;
  if (!allowed) throw new AppError("rate_limited", { retryAfterSeconds: seconds });
}

/**
 * Returns the shared limiter's decision, or the local limiter's while the shared store does not answer. An outage
 * then neither stops the service nor lifts the limit.
 */
async function fallBackToLocal(
  taken: Promise<RateDecision>,
  { localLimiter }: Runtime,
  address: string,
): Promise<RateDecision> {
  return taken.catch((error) => {
    if (error instanceof AppError) return localLimiter.take(address);
    throw error;
  });
}
