import { createObservable } from "@/lib/sdk/observable";

/** Calls a minute reserved for the person's own actions. Polling stops when fewer calls remain. */
const RESERVED_CALLS = 15;
/**
 * How long a rate-limit header is trusted, ms. The limit counts the calls of the last minute, so an older header
 * understates the remaining calls.
 */
const HEADER_TTL_MS = 20_000;

export type RateLimit = ReturnType<typeof createRateLimit>;

/**
 * Creates a tracker of the rate limit of this browser's address, which all tabs share: 60 calls a minute by default.
 * Times are ms since the epoch.
 */
export function createRateLimit() {
  let lastHeader = { remainingCalls: Number.POSITIVE_INFINITY, receivedAt: 0 };
  const waitingUntil = createObservable(0);
  return {
    recordHeaders(headers: Headers, now: number): void {
      const remainingCalls = headers.get("x-ratelimit-remaining");
      if (remainingCalls !== null) lastHeader = { remainingCalls: Number(remainingCalls), receivedAt: now };
    },
    /** Returns whether so few calls remain that cached data should be reused. */
    isNearlyUsedUp: (now: number) =>
      lastHeader.remainingCalls < RESERVED_CALLS && now - lastHeader.receivedAt < HEADER_TTL_MS,
    /** Records that a rate-limited call will be retried at `until`. */
    recordWait: (until: number) => waitingUntil.set(Math.max(waitingUntil.get(), until)),
    /** Returns when the last waiting call will be retried. The time is in the past when none is waiting. */
    getWaitingUntil: waitingUntil.get,
    /** Calls the listener when a call starts to wait. Returns a function that removes the listener. */
    subscribe: waitingUntil.subscribe,
  };
}
