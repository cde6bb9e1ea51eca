import type { Clock } from "../../../lib/ports/clock";

export interface ManualClock extends Clock {
  /**
   * Advances the time and wakes sleepers in order of their deadline. Each sleeper runs before the next one wakes. A new
   * sleep that it starts can therefore still end within this step.
   */
  advance(ms: number): Promise<void>;
}

/** Creates a clock that stands still until the test advances it. */
export function manualClock(startMs = 1_790_000_000_000): ManualClock {
  let now = startMs;
  let sleepers: { until: number; wake: () => void }[] = [];
  const runCallbacks = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    now: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ until: now + Math.max(0, ms), wake })),
    startTimer(ms, run) {
      const sleeper = { until: now + Math.max(0, ms), wake: run };
      sleepers.push(sleeper);
      return () => {
        sleepers = sleepers.filter((candidate) => candidate !== sleeper);
      };
    },
    async advance(ms) {
      const end = now + ms;
      await runCallbacks();
      for (;;) {
        sleepers.sort((left, right) => left.until - right.until);
        if (!sleepers[0] || sleepers[0].until > end) break;
        const next = sleepers.shift()!;
        now = Math.max(now, next.until);
        next.wake();
        await runCallbacks();
      }
      now = end;
    },
  };
}
