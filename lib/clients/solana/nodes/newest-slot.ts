import type { Clock } from "../../../ports/clock";

/** An answer further behind the newest known slot than this is not used. */
const MAX_LAG_SLOTS = 25;
/** The least time between two slots, ms. The nominal time is 400 ms. */
const FASTEST_SLOT_MS = 150;
/**
 * A new slot may be ahead of the newest known one by this many slots at any time: nodes that lagged catch up in
 * leaps.
 */
const LEAP_SLOTS = 150;
/** The nominal slot time, ms. The measured one replaces it as soon as there is one. */
const SLOT_MS = 400;
/** The period over which the slot time is measured. */
const SPEED_MS = { atLeast: 10_000, atMost: 600_000 };
/** Slots may slow down by this factor between measurements. */
const SLOWER = 0.98;
/** A newest slot that no answer reaches for this long is discarded as a node's mistake, ms. */
const FORGET_MS = 600_000;

export interface NewestSlot {
  /** Returns the newest known slot; 0 before the first. */
  slot(): number;
  /** Returns whether `seen` is further ahead than the elapsed time allows. Always false before the first slot. */
  isLeap(seen: number): boolean;
  /**
   * Records the slot in an answer. @returns whether the answer is too old to be used
   * @param suspect whether the node lagged, failed or was busy when last asked. Its slot is then compared with the
   * extrapolated newest slot. Otherwise a stale node would pass once it is ahead of what the other nodes last showed
   * before they went down.
   */
  lags(seen: number, suspect: boolean): boolean;
}

/**
 * Tracks the newest slot in any node's answer. A slot further ahead than the elapsed time allows is ignored, so one
 * node's mistake cannot make all other nodes lag.
 */
export function createNewestSlot({ now }: Pick<Clock, "now">): NewestSlot {
  let slot = 0;
  let reachedAt = Number.NEGATIVE_INFINITY;
  /** An earlier newest slot, for measuring the slot time. */
  let past = { slot: 0, at: Number.NEGATIVE_INFINITY };
  const mayBe = (seen: number) => seen - slot <= LEAP_SLOTS + (now() - reachedAt) / FASTEST_SLOT_MS;
  const slotMs = () =>
    reachedAt - past.at < SPEED_MS.atLeast ? SLOT_MS : (reachedAt - past.at) / (slot - past.slot || 1);
  return {
    slot: () => slot,
    isLeap: (seen) => !mayBe(seen),
    lags(seen, suspect) {
      const at = now();
      const ageMs = at - reachedAt;
      if (suspect && ageMs <= FORGET_MS && seen < slot + (SLOWER * ageMs) / slotMs() - MAX_LAG_SLOTS) return true;
      if (seen < slot && ageMs <= FORGET_MS) return slot - seen > MAX_LAG_SLOTS;
      if (ageMs > FORGET_MS || mayBe(seen)) {
        slot = seen;
        reachedAt = at;
        if (at - past.at > SPEED_MS.atMost) past = { slot, at };
      }
      return false;
    },
  };
}
