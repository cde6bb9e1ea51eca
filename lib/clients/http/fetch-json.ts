/** This folder makes HTTP calls to upstreams. URLs, schemas and caching belong in the client of each upstream. */
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { AppError, createUpstreamError, KeyRefusedFault, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import { type SendRequestOptions, sendRequest } from "./send-request";

export interface FetchJsonOptions<T> extends SendRequestOptions {
  schema: z.ZodType<T>;
  clock: Clock;
  transport?: typeof sendRequest;
  /** Turns a status other than 2xx into an error. Undefined falls back to the rule described at fetchJson. */
  toStatusError?: (status: number, text: string) => AppError | undefined;
}

/** The longest Retry-After that is accepted from an upstream. Longer values are ignored. */
const MAX_RETRY_AFTER_SECONDS = 300;

/**
 * Requests JSON from an upstream and checks the answer. The status is in `cause`, for the log. URL and text of the
 * upstream are never forwarded, because they may carry keys.
 * @throws AppError upstream_timeout; upstream_unavailable; upstream_invalid (too long, not JSON, not matching the
 * schema); or what `toStatusError` returns
 */
export async function fetchJson<T>(url: URL, options: FetchJsonOptions<T>): Promise<T> {
  const answer = await (options.transport ?? sendRequest)(url, options);
  if (answer.status < 200 || answer.status > 299) {
    throw (
      options.toStatusError?.(answer.status, answer.text) ??
      createRefusalError(options.upstream, answer.status, answer.headers, options.clock)
    );
  }
  return parseAnswer(answer.text, options.schema, options.upstream);
}

/** @throws AppError upstream_invalid when `text` is not JSON or does not match the schema */
export function parseAnswer<T>(text: string, schema: z.ZodType<T>, upstream: string): T {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {}
  throw createUpstreamError("upstream_invalid", upstream, "returned an unexpected answer");
}

/**
 * Returns upstream_unavailable with a plausible Retry-After of a 429; the cause of a 401 or 403 is a KeyRefusedFault.
 */
export function createRefusalError(
  upstream: string,
  status: number,
  headers: IncomingHttpHeaders,
  clock: Clock,
  maxSeconds = MAX_RETRY_AFTER_SECONDS,
): AppError {
  const cause =
    status === 401 || status === 403 ? new KeyRefusedFault(upstream, status) : new UpstreamFault(upstream, status);
  const seconds = status === 429 ? readRetryAfterSeconds(headers, clock.now()) : undefined;
  const retryAfter = seconds && { retryAfterSeconds: Math.min(seconds, maxSeconds) };
  return new AppError("upstream_unavailable", { cause, ...retryAfter });
}

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof AppError && error.details.cause instanceof UpstreamFault && error.details.cause.failure === status;

/**
 * Reads when to retry after a 429, in seconds. Retry-After has seconds or an HTTP date. Jupiter's x-ratelimit-reset has
 * seconds, also since the epoch. Undefined unless it is 1 to MAX_RETRY_AFTER_SECONDS from now.
 */
function readRetryAfterSeconds(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = String(headers["retry-after"] ?? headers["x-ratelimit-reset"] ?? "");
  const value = /^\d+$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  const seconds = Math.ceil(value > 1_000_000_000 ? value - nowMs / 1000 : value);
  return seconds >= 1 && seconds <= MAX_RETRY_AFTER_SECONDS ? seconds : undefined;
}
