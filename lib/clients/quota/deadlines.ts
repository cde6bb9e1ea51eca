import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";

/** How much longer than it should anything waits at most, ms. */
const TICK_MS = 100;

interface PendingDeadline {
  endsAt: number;
  /** Told when its work is done, or too late. */
  owner: { close(): void };
  giveUp(error: AppError): void;
  /** Its place in the list. */
  at: number;
}

/** @param endsAt ms since the epoch @throws AppError upstream_timeout */
export type Deadlines = <T>(work: Promise<T>, endsAt: number, owner: PendingDeadline["owner"]) => Promise<T>;

/** Bounds work in time, all of it with one sleep at a time: a timer for each would cost every request. */
export function createDeadlines(clock: Clock): Deadlines {
  // Not in order of their ends: who was slow to send his request or to be recognized comes after others who began later.
  // Not a Set: it leaves its tables behind as it is used, each with all who waited then, for a full collection to find.
  const waiting: PendingDeadline[] = [];
  let ticking = false;

  const tick = async () => {
    ticking = true;
    while (waiting.length > 0) {
      await clock.sleep(TICK_MS);
      const now = clock.now();
      for (const one of waiting.filter(({ endsAt }) => endsAt <= now)) {
        end(one);
        one.giveUp(createTimeoutError());
      }
    }
    ticking = false;
  };

  const end = (one: PendingDeadline) => {
    // Given up before.
    if (waiting[one.at] !== one) return;
    const last = waiting.pop()!;
    if (last !== one) {
      waiting[one.at] = last;
      last.at = one.at;
    }
    one.owner.close();
  };

  return (work, endsAt, owner) =>
    new Promise((resolve, giveUp) => {
      const one: PendingDeadline = { endsAt, owner, giveUp, at: waiting.length };
      waiting.push(one);
      if (!ticking) void tick();
      work.then(
        (value) => {
          end(one);
          resolve(value);
        },
        (error) => {
          end(one);
          giveUp(error);
        },
      );
    });
}

export const createTimeoutError = () =>
  new AppError("upstream_timeout", { cause: new UpstreamFault("all upstreams", "timeout") });
