import type { Clock } from "../../../lib/ports/clock";

export interface ManualClock extends Clock {
  /** Wakes each sleeper at its deadline, before the next one. A sleep that it starts may end in this step too. */
  advance(ms: number): Promise<void>;
}

/** Creates a clock that stands still until the test advances it. */
export function createManualClock(startMs = 1_790_000_000_000): ManualClock {
  let now = startMs;
  let sleepers: { deadline: number; wake: () => void }[] = [];
  const runCallbacks = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    now: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ deadline: now + Math.max(0, ms), wake })),
    startTimer(ms, run) {
      const sleeper = { deadline: now + Math.max(0, ms), wake: run };
      sleepers.push(sleeper);
      return () => {
        sleepers = sleepers.filter((candidate) => candidate !== sleeper);
      };
    },
    async advance(ms) {
      const endTime = now + ms;
      await runCallbacks();
      for (;;) {
        sleepers.sort((left, right) => left.deadline - right.deadline);
        if (!sleepers[0] || sleepers[0].deadline > endTime) break;
        const nextSleeper = sleepers.shift()!;
        now = Math.max(now, nextSleeper.deadline);
        nextSleeper.wake();
        await runCallbacks();
      }
      now = endTime;
    },
  };
}

/** Creates a clock whose time passes only during `sleep`, or when the test sets `nowMs`, ms since the epoch. */
export function createSleepClock(nowMs: number) {
  const clock = {
    nowMs,
    now: () => clock.nowMs,
    sleep: async (ms: number) => {
      clock.nowMs += ms;
    },
  };
  return clock;
}
