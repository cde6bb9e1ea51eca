import { createObservable } from "@/lib/sdk/observable";
import type { RateLimit } from "./rate-limit";

/**
 * How long a response counts as fresh, ms. Within this time, navigation reuses the response, and the parts of a
 * combined response (`cacheCombined` in queries.ts).
 */
export const FRESH_MS = 10_000;
/**
 * How long after a landing no cached data is reused, even when the rate limit is nearly used up, ms. A node may show
 * the transaction only after this time.
 */
const REREAD_AFTER_LANDING_MS = 2_000;

/**
 * Creates a tracker of how fresh each API path's cached data is. Times are ms since the epoch.
 * @param exemptPath the path whose data does not change when a transaction lands
 */
export function createFreshness(rateLimit: Pick<RateLimit, "isNearlyUsedUp">, exemptPath: string) {
  const requestTimes = new Map<string, number>();
  const knownStates = new Map<string, string>();
  let landedAt = Number.NEGATIVE_INFINITY;
  const changes = createObservable(null);
  /** Returns whether a transaction has landed since the path was last requested; false if it never was. */
  const isOutdated = (path: string) => path !== exemptPath && (requestTimes.get(path) ?? landedAt) < landedAt;
  return {
    /**
     * Records a response. Responses may arrive in a different order than their requests were sent.
     * @returns whether to show the response: no later request was answered, and no transaction has landed since this
     * request
     */
    recordRead(path: string, requestTime: number): boolean {
      if (requestTime < (requestTimes.get(path) ?? requestTime)) return false;
      requestTimes.set(path, requestTime);
      changes.set(null);
      return !isOutdated(path);
    },
    /** Returns when the last answered request of the path was sent, or undefined. */
    getRequestTime: (path: string) => requestTimes.get(path),
    /** Records that a transaction of the person's wallets has landed. */
    recordLanding(landingTime: number): void {
      landedAt = landingTime;
      changes.set(null);
    },
    /**
     * Records what a response says about a wallet: its balances, or its newest transaction. The same state must give the
     * same text.
     * @returns whether another tab or device changed the state: it differs from that of the path's previous response,
     * and no transaction was recorded as landed just before the request
     */
    recordState(path: string, requestTime: number, state: string): boolean {
      const hasChanged = state !== (knownStates.get(path) ?? state);
      knownStates.set(path, state);
      return hasChanged && requestTime - landedAt > REREAD_AFTER_LANDING_MS;
    },
    /** Returns when a transaction last landed, or -Infinity. */
    getLastLandingTime: () => landedAt,
    isOutdated,
    /** Calls the listener after each read and each landing. Returns a function that removes the listener. */
    subscribe: changes.subscribe,
    /** Returns whether the path was requested within `FRESH_MS`, alone or combined, and nothing has landed since. */
    isFresh: (path: string, now: number) =>
      !isOutdated(path) && now - (requestTimes.get(path) ?? Number.NEGATIVE_INFINITY) < FRESH_MS,
    /** Returns whether to reuse the path's cached data: it is not outdated, and the rate limit is nearly used up. */
    shouldReuse(path: string, read: { data?: unknown; error?: unknown } | undefined, now: number): boolean {
      if (read?.data === undefined || read.error !== undefined) return false;
      if (path !== exemptPath && (isOutdated(path) || now - landedAt <= REREAD_AFTER_LANDING_MS)) return false;
      return rateLimit.isNearlyUsedUp(now);
    },
  };
}
