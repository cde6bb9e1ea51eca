import { createObservable } from "@/lib/sdk/observable";

/** Calls a minute reserved for what the person presses. Reads of the page wait when fewer calls remain. */
const RESERVED_CALLS = 15;
/** Within the minute that the limit counts, an older header understates the remaining calls. */
const HEADER_TTL_MS = 20_000;

export type RateLimit = ReturnType<typeof createRateLimit>;

/** Tracks the rate limit of this browser's address, which all tabs share. Times are ms since the epoch. */
export function createRateLimit() {
  let lastHeader = { remainingCalls: Number.POSITIVE_INFINITY, receivedAt: 0 };
  const waits = createObservable({ anyUntil: 0, actionUntil: 0 });
  const isNearlyUsedUp = (now: number) =>
    lastHeader.remainingCalls < RESERVED_CALLS && now - lastHeader.receivedAt < HEADER_TTL_MS;
  return {
    recordHeaders(headers: Headers, now: number): void {
      const remainingCalls = headers.get("x-ratelimit-remaining");
      if (remainingCalls !== null) lastHeader = { remainingCalls: Number(remainingCalls), receivedAt: now };
    },
    isNearlyUsedUp,
    /** How long a read must wait to leave the reserved calls to the person, ms. */
    getReadHoldMs: (now: number) => (isNearlyUsedUp(now) ? lastHeader.receivedAt + HEADER_TTL_MS - now : 0),
    /** Records that a call will be sent at `until`. An action is what the person has pressed; other calls are reads. */
    recordWait(until: number, isAction: boolean): void {
      const { anyUntil, actionUntil } = waits.get();
      waits.set({
        anyUntil: Math.max(anyUntil, until),
        actionUntil: isAction ? Math.max(actionUntil, until) : actionUntil,
      });
    },
    /** When the last waiting call, and the last waiting action, will be sent. */
    getWaits: waits.get,
    subscribe: waits.subscribe,
  };
}
