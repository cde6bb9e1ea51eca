import { createObservable } from "@/lib/sdk/observable";
import type { RateLimit } from "./rate-limit";

/** How long navigation reuses a response, and the parts of a combined one (`cacheCombined`), ms. */
export const FRESH_MS = 10_000;
/** A node may show a landed transaction only after this time, ms. Until then no cached data is reused. */
const REREAD_AFTER_LANDING_MS = 2_000;

/** Tracks how fresh each path's data is. Times are ms since the epoch. @param exemptPath no landing changes its data */
export function createFreshness(rateLimit: Pick<RateLimit, "isNearlyUsedUp">, exemptPath: string) {
  const requestTimes = new Map<string, number>();
  const knownStates = new Map<string, string>();
  let landedAt = Number.NEGATIVE_INFINITY;
  const changes = createObservable(null);
  /** Returns whether a transaction has landed since the path was last requested; false if it never was. */
  const isOutdated = (path: string) => path !== exemptPath && (requestTimes.get(path) ?? landedAt) < landedAt;
  return {
    /** Records a response. @returns whether to show it: no later request was answered, and nothing has landed since */
    recordRead(path: string, requestTime: number): boolean {
      if (requestTime < (requestTimes.get(path) ?? requestTime)) return false;
      requestTimes.set(path, requestTime);
      changes.set(null);
      return !isOutdated(path);
    },
    /** Returns when the last answered request of the path was sent. */
    getRequestTime: (path: string) => requestTimes.get(path),
    recordLanding(landingTime: number): void {
      landedAt = landingTime;
      changes.set(null);
    },
    /**
     * Records what a response says about a wallet, as text. @returns whether another tab or device changed it: the text
     * differs from the path's previous one, and no transaction was recorded as landed just before the request
     */
    recordState(path: string, requestTime: number, state: string): boolean {
      const hasChanged = state !== (knownStates.get(path) ?? state);
      knownStates.set(path, state);
      return hasChanged && requestTime - landedAt > REREAD_AFTER_LANDING_MS;
    },
    getLastLandingTime: () => landedAt,
    isOutdated,
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
