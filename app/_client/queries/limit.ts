/** Calls a minute that are left to what a person does: polls stay off them. */
const RESERVE = 15;
/** The limit counts the last minute, so what an answer said of it is soon too strict. */
const BELIEVED_MS = 20_000;

/** Times are ms since the epoch. */
export interface Limit {
  /** From the headers of an answer. */
  note(headers: Headers, now: number): void;
  /** Whether so few calls are left that what was read before does for a while. */
  isShort(now: number): boolean;
  /** A call met the limit, and is made again then. */
  wait(until: number): void;
  /** Until when calls wait; long ago where none does. */
  waitingUntil(): number;
  /** @returns what ends it */
  subscribe(listener: () => void): () => void;
}

/** How near this address is to the limit of 60 calls a minute, as the last answer said: tabs of one browser share it. */
export function createLimit(): Limit {
  let last = { remaining: Number.POSITIVE_INFINITY, at: 0 };
  let waitingUntil = 0;
  const listeners = new Set<() => void>();
  return {
    note(headers, now) {
      const remaining = headers.get("x-ratelimit-remaining");
      if (remaining !== null) last = { remaining: Number(remaining), at: now };
    },
    isShort: (now) => last.remaining < RESERVE && now - last.at < BELIEVED_MS,
    wait(until) {
      waitingUntil = Math.max(waitingUntil, until);
      for (const listener of listeners) listener();
    },
    waitingUntil: () => waitingUntil,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
