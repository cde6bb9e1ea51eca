import type { Clock } from "../../../ports/clock";

/** Further behind the newest slot seen, a view of the chain is not used. */
const MAX_LAG_SLOTS = 25;
/** Slots never go faster than one in so many ms; nominally it is 400. */
const FASTEST_SLOT_MS = 150;
/** By so much an answer may be ahead of the last one whatever the time between: nodes that lagged catch up in leaps. */
const LEAP_SLOTS = 150;
/** Nominal; its own speed takes its place as soon as that is known. */
const SLOT_MS = 400;
/** Time over which the speed is taken. */
const SPEED_MS = { atLeast: 10_000, atMost: 600_000 };
/** By so much slots may slow down meanwhile. */
const SLOWER = 0.98;
/** A newest slot that nothing has reached for so long was none. */
const FORGET_MS = 600_000;

export interface NewestSlot {
  /** 0 before the first. */
  slot(): number;
  /** Whether a slot is further on than time allows; never before the first. */
  isLeap(seen: number): boolean;
  /**
   * Takes note of the slot in an answer. @returns whether that view is too old to be used
   * @param suspect it lagged, failed or was busy when last seen: then it is held to where the newest slot must be by now, or it would be believed once
   * it has passed what the others, gone since, had last shown
   */
  lags(seen: number, suspect: boolean): boolean;
}

/** The newest slot in any node's answer. One that is further on than time allows is not taken for it, or a single node's mistake would make all others lag. */
export function createNewestSlot({ now }: Pick<Clock, "now">): NewestSlot {
  let slot = 0;
  let reachedAt = Number.NEGATIVE_INFINITY;
  /** An earlier newest slot, for the speed. */
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
