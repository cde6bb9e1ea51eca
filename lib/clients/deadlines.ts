import { AppError, UpstreamFault } from "../errors";
import type { Clock } from "../ports";

/** How much longer than it should anything waits at most, ms. */
const TICK_MS = 100;

interface Waiting {
  endsAt: number;
  giveUp(): void;
}

/** Bounds work in time, all of it with one sleep at a time: a timer for each would cost every request. */
export function createDeadlines(clock: Clock) {
  // Not in order of their ends: who was slow to send his request or to be recognized comes after others who began later.
  const waiting = new Set<Waiting>();
  let ticking = false;

  const tick = async () => {
    ticking = true;
    while (waiting.size > 0) {
      await clock.sleep(TICK_MS);
      const now = clock.now();
      for (const one of waiting) if (one.endsAt <= now) one.giveUp();
    }
    ticking = false;
  };

  /** @param endsAt ms since the epoch @param onEnd told when it is done, or too late @throws AppError upstream_timeout */
  return <T>(work: Promise<T>, endsAt: number, onEnd: () => void): Promise<T> =>
    new Promise((resolve, reject) => {
      const one: Waiting = {
        endsAt,
        giveUp() {
          end();
          reject(tooLate());
        },
      };
      const end = () => {
        waiting.delete(one);
        onEnd();
      };
      waiting.add(one);
      if (!ticking) void tick();
      work.then(
        (value) => {
          end();
          resolve(value);
        },
        (error) => {
          end();
          reject(error);
        },
      );
    });
}

export const tooLate = () => new AppError("upstream_timeout", { cause: new UpstreamFault("all upstreams", "timeout") });
