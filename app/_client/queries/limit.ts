import { createObservable } from "@/lib/sdk/observable";

/** Calls per minute reserved for what the person does. Polling stops when only these remain. */
const RESERVE = 15;
/**
 * How long a rate-limit header is trusted. The limit is a sliding minute, so an older header understates the remaining
 * calls.
 */
const BELIEVED_MS = 20_000;

/** The rate limit of this browser's address. Times are ms since the epoch. */
export interface Limit {
  /** Records the rate-limit headers of a response. */
  note(headers: Headers, now: number): void;
  /** Returns whether so few calls remain that cached data should be reused. */
  isShort(now: number): boolean;
  /** Records that a rate-limited call will be retried at `until`. */
  wait(until: number): void;
  /** Returns when the last waiting call will be retried. The time is in the past when none is waiting. */
  waitingUntil(): number;
  /**
   * Calls `listener` when a call starts to wait.
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void;
}

/** Tracks the limit of 60 calls a minute from response headers. Tabs of one browser share the limit. */
export function createLimit(): Limit {
  let last = { remaining: Number.POSITIVE_INFINITY, at: 0 };
  const waitingUntil = createObservable(0);
  return {
    note(headers, now) {
      const remaining = headers.get("x-ratelimit-remaining");
      if (remaining !== null) last = { remaining: Number(remaining), at: now };
    },
    isShort: (now) => last.remaining < RESERVE && now - last.at < BELIEVED_MS,
    wait(until) {
      waitingUntil.set(Math.max(waitingUntil.get(), until));
    },
    waitingUntil: waitingUntil.get,
    subscribe: waitingUntil.subscribe,
  };
}
