import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { AppError, KeyRefused, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import { type SendRequestOptions, sendRequest } from "./send-request";

export interface FetchJsonOptions<T> extends SendRequestOptions {
  /** What the answer must be; unknown members are dropped by an ordinary z.object. */
  schema: z.ZodType<T>;
  clock: Clock;
  /** Takes the place of the network in tests. */
  transport?: typeof sendRequest;
  /** Gives an answer other than 2xx a meaning of its own; undefined leaves it to the rule below. */
  onStatus?: (status: number, text: string) => AppError | undefined;
}

/** Longest wait that is passed on from an upstream's rate limit; more is not believed. */
const MAX_RETRY_AFTER_SECONDS = 300;

/**
 * Asks an upstream for JSON and checks the answer. Nothing of what the upstream says about a failure is forwarded:
 * its status is in `cause`, for the log, and neither URL nor body is (both may carry keys).
 * @throws AppError upstream_timeout; upstream_unavailable (network, any status but 2xx; with retryAfterSeconds on a 429
 *   that names a credible one); upstream_invalid (too long, not JSON, not of the schema); or what `onStatus` returns
 */
export async function fetchJson<T>(url: string | URL, options: FetchJsonOptions<T>): Promise<T> {
  const target = typeof url === "string" ? new URL(url) : url;
  const answer = await (options.transport ?? sendRequest)(target, options);
  if (answer.status < 200 || answer.status > 299) {
    throw (
      options.onStatus?.(answer.status, answer.text) ??
      refusal(options.upstream, answer.status, answer.headers, options.clock)
    );
  }
  return parseAnswer(answer.text, options.schema, options.upstream);
}

/** @throws AppError upstream_invalid when `text` is not JSON or not of the schema */
export function parseAnswer<T>(text: string, schema: z.ZodType<T>, upstream: string): T {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // No JSON.
  }
  throw new AppError("upstream_invalid", { cause: new UpstreamFault(upstream, "answer of another shape") });
}

/**
 * What a status other than 2xx means: upstream_unavailable, with retryAfterSeconds where a 429 names a credible one and
 * KeyRefused as its cause where it is 401 or 403.
 * @param mostSeconds of a longer wait only so much is kept
 */
export function refusal(
  upstream: string,
  status: number,
  headers: IncomingHttpHeaders,
  clock: Clock,
  mostSeconds = MAX_RETRY_AFTER_SECONDS,
): AppError {
  const cause =
    status === 401 || status === 403 ? new KeyRefused(upstream, status) : new UpstreamFault(upstream, status);
  const seconds = status === 429 ? retryAfterSeconds(headers, clock.now()) : undefined;
  const wait = seconds && { retryAfterSeconds: Math.min(seconds, mostSeconds) };
  return new AppError("upstream_unavailable", { cause, ...wait });
}

/** From Retry-After or X-RateLimit-Reset: seconds, an HTTP date or seconds since the epoch. */
function retryAfterSeconds(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  for (const value of [headers["retry-after"], headers["x-ratelimit-reset"]]) {
    if (typeof value !== "string" || value.trim() === "") continue;
    const number = Number(value);
    const atMs = Number.isNaN(number) ? Date.parse(value) : number * 1000;
    const isMoment = Number.isNaN(number) || number > 1_000_000_000;
    const seconds = Math.ceil((isMoment ? atMs - nowMs : atMs) / 1000);
    if (seconds >= 1 && seconds <= MAX_RETRY_AFTER_SECONDS) return seconds;
  }
  return undefined;
}
