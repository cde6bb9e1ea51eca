import type { Runtime } from "../deps";
import { CALL_RATE_LIMIT, OPTIONS_RATE_LIMIT, PROBE_RATE_LIMIT, RATE_WINDOW_MS } from "../domain/limits";
import type { KnownStaticKey } from "../domain/static-keys";
import { AppError } from "../errors";
import type { RateDecision } from "../ports/rate-limiter";
import type { ResponseHeaders } from "./message";

const WINDOW_SECONDS = RATE_WINDOW_MS / 1000;

export interface Bucket {
  /** The limiter's key: the address for ordinary calls. */
  id: string;
  /** The bucket's name in the rate limit headers. */
  name: string;
  limit: number;
}

/**
 * Returns the bucket on which a request counts. A static key with its own limit has one bucket for all addresses, and a
 * changed limit starts a new window. Health probes have their own, so that a monitor always gets its answer.
 */
export function chooseBucket(
  { method, isProbe }: { method: string; isProbe: boolean },
  address: string,
  key: KnownStaticKey | null,
): Bucket {
  if (isProbe) return { id: `probe:${address}`, name: "probe", limit: PROBE_RATE_LIMIT };
  if (method === "OPTIONS") return { id: `options:${address}`, name: "options", limit: OPTIONS_RATE_LIMIT };
  const limit = key?.callsPerMinute;
  if (limit !== undefined) return { id: `key:${key!.id}:${limit}`, name: `key:${key!.name}`, limit };
  return { id: address, name: "default", limit: CALL_RATE_LIMIT };
}

/** Counts one call of a bucket and sets the rate limit headers. @throws AppError rate_limited */
export async function countCall(runtime: Runtime, bucket: Bucket, headers: ResponseHeaders): Promise<void> {
  const decision = runtime.limiter.take(bucket.id, bucket.limit);
  const { isAllowed, remaining, resetMs } =
    decision instanceof Promise ? await awaitSharedDecision(decision, runtime, bucket) : decision;
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  headers["x-ratelimit-limit"] = String(bucket.limit);
  headers["x-ratelimit-remaining"] = String(remaining);
  headers["x-ratelimit-reset"] = String(Math.ceil((runtime.deps.clock.now() + resetMs) / 1000));
  headers.ratelimit = `"${bucket.name}";r=${remaining};t=${resetSeconds}`;
  headers["ratelimit-policy"] = `"${bucket.name}";q=${bucket.limit};w=${WINDOW_SECONDS}`;
  if (!isAllowed)
    throw new AppError("rate_limited", { retryAfterSeconds: resetSeconds, message: explainRefusal(bucket) });
}

/** Returns the message of a refusal. Undefined for the limit per address: the code's own sentence then applies. */
function explainRefusal({ name, limit }: Bucket): string | undefined {
  return name === "default"
    ? undefined
    : `Too many requests: ${limit} a minute are allowed in the bucket "${name}". Retry-After says when to go on.`;
}

/** While the shared store does not answer, the local limiter neither stops the service nor lifts the limit. */
async function awaitSharedDecision(
  decision: Promise<RateDecision>,
  { localLimiter }: Runtime,
  bucket: Bucket,
): Promise<RateDecision> {
  return decision.catch((error) => {
    if (error instanceof AppError) return localLimiter.take(bucket.id, bucket.limit);
    throw error;
  });
}
