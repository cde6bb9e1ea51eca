import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import { breakerOpenings } from "../process/metrics";

export type Breaker = ReturnType<typeof createBreaker>;

export const BREAKER_REST_MS = 3_000;

/**
 * Creates a circuit breaker, which spares callers the wait for an upstream that hangs. It opens when a call times out
 * and no other call was answered during it. After BREAKER_REST_MS it lets one call through. Any outcome other than a
 * timeout, including an error, closes the breaker.
 */
export function createBreaker(upstream: string, clock: Pick<Clock, "now">) {
  let answerCount = 0;
  /** When the upstream may be tried again, ms since the epoch; 0 while the breaker is closed. */
  let restsUntil = 0;
  const isOpen = () => {
    const remainingMs = restsUntil - clock.now();
    // If more than BREAKER_REST_MS is left, the clock was set back. Without this check the breaker would stay open.
    return remainingMs > 0 && remainingMs <= BREAKER_REST_MS;
  };

  return {
    isOpen,
    /** @throws AppError upstream_unavailable while the breaker is open, or what `call` throws */
    async run<T>(call: () => Promise<T>): Promise<T> {
      if (isOpen()) {
        const retryAfterSeconds = Math.ceil((restsUntil - clock.now()) / 1000);
        const cause = new UpstreamFault(upstream, "is not called after a timeout");
        throw new AppError("upstream_unavailable", { retryAfterSeconds, cause });
      }
      // The first caller after the rest tries the upstream. The others are refused until it is answered.
      if (restsUntil > 0) restsUntil = clock.now() + BREAKER_REST_MS;
      const answerCountBefore = answerCount;
      try {
        const answer = await call();
        answerCount++;
        restsUntil = 0;
        return answer;
      } catch (error) {
        const isTimeout = error instanceof AppError && error.code === "upstream_timeout";
        if (!isTimeout) restsUntil = 0;
        else if (answerCount === answerCountBefore) {
          restsUntil = clock.now() + BREAKER_REST_MS;
          breakerOpenings.inc({ upstream });
        }
        throw error;
      }
    },
  };
}
