import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";

export interface Breaker {
  /** @throws AppError upstream_unavailable at once while it is open; else whatever `ask` throws */
  run<T>(ask: () => Promise<T>): Promise<T>;
  isOpen(): boolean;
}

/** How long nobody waits for an upstream that hangs, ms. */
export const BREAKER_REST_MS = 3_000;

/**
 * Spares callers the wait for an upstream that hangs. It opens with the first time-out during which nobody else was
 * answered; after a rest one caller is let through, while the others are still refused, and any answer closes it.
 */
export function createBreaker(upstream: string, clock: Pick<Clock, "now">): Breaker {
  let answers = 0;
  /** Until when nobody asks; 0: closed. */
  let restsUntil = 0;
  const isOpen = () => {
    const leftMs = restsUntil - clock.now();
    // Longer than a rest is none: the clock has been set back since.
    return leftMs > 0 && leftMs <= BREAKER_REST_MS;
  };

  return {
    isOpen,
    async run(ask) {
      if (isOpen()) {
        const retryAfterSeconds = Math.ceil((restsUntil - clock.now()) / 1000);
        const cause = new UpstreamFault(upstream, "rests after a time-out");
        throw new AppError("upstream_unavailable", { retryAfterSeconds, cause });
      }
      // Whoever comes first after a rest asks for all.
      if (restsUntil > 0) restsUntil = clock.now() + BREAKER_REST_MS;
      const answersBefore = answers;
      try {
        const answer = await ask();
        answers++;
        restsUntil = 0;
        return answer;
      } catch (error) {
        const hangs = error instanceof AppError && error.code === "upstream_timeout";
        if (!hangs) restsUntil = 0;
        else if (answers === answersBefore) restsUntil = clock.now() + BREAKER_REST_MS;
        throw error;
      }
    },
  };
}
