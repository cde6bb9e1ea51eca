import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";

/** The resolution of a deadline: work may run this much longer than its limit, ms. */
const TICK_MS = 100;

interface PendingDeadline {
  endsAt: number;
  /** Closed when its work is done or has timed out. */
  owner: { close(): void };
  giveUp(error: AppError): void;
  /** Its index in the list of pending deadlines. */
  at: number;
}

/**
 * Resolves as `work` does. @param endsAt ms since the epoch
 * @throws AppError upstream_timeout when `work` is not done by `endsAt`
 */
export type Deadlines = <T>(work: Promise<T>, endsAt: number, owner: PendingDeadline["owner"]) => Promise<T>;

/**
 * Returns a function that limits work in time. All pending work shares one sleep, because a timer for each request
 * would be costly.
 */
export function createDeadlines(clock: Clock): Deadlines {
  // Not sorted by end: a slow upload or a slow sign-in adds a request after others that began later. Not a Set: V8
  // grows a Set into new tables and leaves the old ones, with all their members, to a full collection.
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
    // The deadline has passed already.
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

/** Returns the error for a request that ran out of time waiting for upstreams. */
export const createTimeoutError = () =>
  new AppError("upstream_timeout", { cause: new UpstreamFault("all upstreams", "timeout") });
