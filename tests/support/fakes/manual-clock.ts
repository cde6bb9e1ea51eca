import type { Clock } from "../../../lib/ports/clock";

export interface ManualClock extends Clock {
  /**
   * Moves time forward and wakes those who sleep until then, in order; each gets to run before the next is woken, so
   * what it does then, another sleep included, still happens inside this step.
   */
  advance(ms: number): Promise<void>;
}

/** A clock that stands still unless told otherwise. */
export function manualClock(startMs = 1_790_000_000_000): ManualClock {
  let now = startMs;
  const sleepers: { until: number; wake: () => void }[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    now: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ until: now + Math.max(0, ms), wake })),
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        sleepers.sort((a, b) => a.until - b.until);
        if (!sleepers[0] || sleepers[0].until > end) break;
        const next = sleepers.shift()!;
        now = Math.max(now, next.until);
        next.wake();
        await settle();
      }
      now = end;
    },
  };
}
