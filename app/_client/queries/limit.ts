import { createObservable } from "@/lib/sdk/observable";

/** Calls a minute reserved for the person's own actions. Polling stops when fewer calls remain. */
const RESERVED_CALLS = 15;
/**
 * How long a rate-limit header is trusted, ms. The limit is a sliding minute, so an older header understates the
 * remaining calls.
 */
const HEADER_TTL_MS = 20_000;

/** Tracks the rate limit of this browser's address. Times are ms since the epoch. */
export interface RateLimit {
  /** Records the rate-limit headers of a response. */
  recordHeaders(headers: Headers, now: number): void;
  /** Returns whether so few calls remain that cached data should be reused. */
  isNearlyUsedUp(now: number): boolean;
  /** Records that a rate-limited call will be retried at `until`. */
  recordWait(until: number): void;
  /** Returns when the last waiting call will be retried. The time is in the past when none is waiting. */
  getWaitingUntil(): number;
  /**
   * Calls `listener` when a call starts to wait.
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void;
}

/** Creates a tracker of the limit, which is 60 calls a minute by default. All tabs of a browser share the limit. */
export function createRateLimit(): RateLimit {
  let lastHeader = { remaining: Number.POSITIVE_INFINITY, at: 0 };
  const waitingUntil = createObservable(0);
  return {
    recordHeaders(headers, now) {
      const remaining = headers.get("x-ratelimit-remaining");
      if (remaining !== null) lastHeader = { remaining: Number(remaining), at: now };
    },
    isNearlyUsedUp: (now) => lastHeader.remaining < RESERVED_CALLS && now - lastHeader.at < HEADER_TTL_MS,
    recordWait(until) {
      waitingUntil.set(Math.max(waitingUntil.get(), until));
    },
    getWaitingUntil: waitingUntil.get,
    subscribe: waitingUntil.subscribe,
  };
}
