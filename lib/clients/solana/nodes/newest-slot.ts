import type { Clock } from "../../../ports/clock";

/** Answers more than this many slots behind the newest known slot are ignored. */
const MAX_LAG_SLOTS = 25;
/** The least time between two slots, ms. The nominal time is 400 ms. */
const MIN_SLOT_MS = 150;
/** A new slot may always be this many slots ahead of the newest known one: a node that lagged catches up in leaps. */
const MAX_LEAP_SLOTS = 150;
/** The nominal slot time, ms. A measured slot time replaces it after 10 s. */
const SLOT_MS = 400;
/** The period over which the slot time is measured, ms. */
const MEASUREMENT_WINDOW_MS = { atLeast: 10_000, atMost: 600_000 };
/** Share of the extrapolated slots that is expected. It allows slots to slow down between measurements. */
const SLOWDOWN_FACTOR = 0.98;
/** A newest slot that no answer reaches for this long, ms, counts as a node's mistake and is discarded. */
const DISCARD_AFTER_MS = 600_000;

export type NewestSlot = ReturnType<typeof createNewestSlot>;

/**
 * Creates the record of the newest slot in any node's answer. A slot further ahead than the elapsed time allows is
 * ignored, so one node's mistake cannot make all other nodes lag.
 */
export function createNewestSlot({ now }: Pick<Clock, "now">) {
  let newestSlot = 0;
  let reachedAt = Number.NEGATIVE_INFINITY;
  /** An earlier newest slot, for measuring the slot time. */
  let baseline = { slot: 0, reachedAt: Number.NEGATIVE_INFINITY };
  /** Returns whether `answerSlot` is further ahead than the elapsed time allows. False before the first slot. */
  const isLeap = (answerSlot: number) => answerSlot - newestSlot > MAX_LEAP_SLOTS + (now() - reachedAt) / MIN_SLOT_MS;
  const measureSlotMs = () =>
    reachedAt - baseline.reachedAt < MEASUREMENT_WINDOW_MS.atLeast
      ? SLOT_MS
      : (reachedAt - baseline.reachedAt) / (newestSlot - baseline.slot || 1);
  return {
    /** Returns the newest known slot; 0 before the first. */
    getSlot: () => newestSlot,
    isLeap,
    /**
     * Records the slot in an answer.
     * @param isSuspect whether the node lagged, failed or was busy when last asked. Its slot is then compared with the
     * extrapolated newest slot. Otherwise a stale node would pass once it is ahead of what the other nodes last showed
     * before they went down.
     * @returns whether the answer is too old to be used
     */
    recordSlot(answerSlot: number, isSuspect: boolean): boolean {
      const nowMs = now();
      const ageMs = nowMs - reachedAt;
      const isDiscarded = ageMs > DISCARD_AFTER_MS;
      const expectedSlot = newestSlot + (SLOWDOWN_FACTOR * ageMs) / measureSlotMs();
      if (isSuspect && !isDiscarded && answerSlot < expectedSlot - MAX_LAG_SLOTS) return true;
      if (answerSlot < newestSlot && !isDiscarded) return newestSlot - answerSlot > MAX_LAG_SLOTS;
      if (isDiscarded || !isLeap(answerSlot)) {
        newestSlot = answerSlot;
        reachedAt = nowMs;
        if (nowMs - baseline.reachedAt > MEASUREMENT_WINDOW_MS.atMost)
          baseline = { slot: newestSlot, reachedAt: nowMs };
      }
      return false;
    },
  };
}
