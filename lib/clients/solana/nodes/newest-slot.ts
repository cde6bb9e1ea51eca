import type { Clock } from "../../../ports/clock";

/** Answers more than this many slots behind the newest known slot are ignored. */
const MAX_LAG_SLOTS = 25;
/** A new slot may always be this many slots ahead of the newest known one: a node that lagged catches up in leaps. */
const MAX_LEAP_SLOTS = 150;
/** Plausible slot times, ms. A cluster that stands still, or a wrong slot, gives times outside of them. */
const SLOT_MS_RANGE = { min: 100, max: 1_000 };
/** The slot time that is assumed before it is measured, ms. Source: Agave 4.2. */
const ASSUMED_SLOT_MS = 200;
/** The shortest time over which a slot time is measured, ms. It contains about 50 slots. */
const MEASUREMENT_MS = 10_000;
/** The slot time is the median of this many measurements, so a single wrong one does not change it. */
const MEASUREMENT_COUNT = 15;
/** Share of the extrapolated slots that is expected. It allows slots to slow down between measurements. */
const SLOWDOWN_FACTOR = 0.98;
/** A newest slot that answers still show after this long, ms, means that the whole cluster stands still. */
const STANDSTILL_MS = 10_000;
/** A newest slot that no answer reaches for this long, ms, counts as a node's mistake and is discarded. */
const DISCARD_AFTER_MS = 600_000;

export type NewestSlot = ReturnType<typeof createNewestSlot>;

/**
 * Records the newest slot in any node's answer, and measures the slot time. A slot further ahead than the elapsed time
 * allows is ignored, so one node's mistake cannot make all other nodes lag.
 */
export function createNewestSlot({ now }: Pick<Clock, "now">) {
  let newestSlot = 0;
  /** When an answer first and last showed the newest slot. */
  let risenAt = Number.NEGATIVE_INFINITY;
  let reachedAt = Number.NEGATIVE_INFINITY;
  let measuredFrom = { slot: 0, reachedAt: Number.NEGATIVE_INFINITY };
  const measurements = [ASSUMED_SLOT_MS];
  let slotMs = ASSUMED_SLOT_MS;
  /** Returns whether `answerSlot` is further ahead than the elapsed time allows. False before the first slot. */
  const isLeap = (answerSlot: number) => {
    // A negative time means that the clock was set back.
    const elapsedMs = Math.max(0, now() - reachedAt);
    return answerSlot - newestSlot > MAX_LEAP_SLOTS + elapsedMs / SLOT_MS_RANGE.min;
  };
  const measureSlotMs = () => {
    const durationMs = reachedAt - measuredFrom.reachedAt;
    if (durationMs >= 0 && durationMs < MEASUREMENT_MS) return;
    const measuredMs = durationMs / (newestSlot - measuredFrom.slot);
    measuredFrom = { slot: newestSlot, reachedAt };
    if (!(measuredMs >= SLOT_MS_RANGE.min && measuredMs <= SLOT_MS_RANGE.max)) return;
    measurements.push(measuredMs);
    if (measurements.length > MEASUREMENT_COUNT) measurements.shift();
    const sorted = [...measurements].sort((left, right) => left - right);
    slotMs = sorted[Math.floor((sorted.length - 1) / 2)]!;
  };
  return {
    getSlot: () => newestSlot,
    getSlotMs: () => slotMs,
    isLeap,
    /**
     * @param isSuspect whether the node lagged, failed or was busy when last asked. Its slot is then compared with the
     * extrapolated newest slot. Otherwise a stale node would pass once it is ahead of what the other nodes last showed
     * before they went down. A cluster that stood still is not expected to have moved on.
     * @returns whether the answer is too old to be used
     */
    recordSlot(answerSlot: number, isSuspect: boolean): boolean {
      const nowMs = now();
      const ageMs = nowMs - reachedAt;
      const isDiscarded = ageMs > DISCARD_AFTER_MS;
      const stoodStill = reachedAt - risenAt > STANDSTILL_MS;
      const expectedSlot = newestSlot + (stoodStill ? 0 : (SLOWDOWN_FACTOR * ageMs) / slotMs);
      if (isSuspect && !isDiscarded && answerSlot < expectedSlot - MAX_LAG_SLOTS) return true;
      if (answerSlot < newestSlot && !isDiscarded) return newestSlot - answerSlot > MAX_LAG_SLOTS;
      if (isDiscarded || !isLeap(answerSlot)) {
        if (answerSlot !== newestSlot) risenAt = nowMs;
        newestSlot = answerSlot;
        reachedAt = nowMs;
        measureSlotMs();
      }
      return false;
    },
  };
}
