import { createHash } from "node:crypto";
import bs58 from "bs58";

/** Milliseconds a slot lasts; a cluster's nominal value. */
export const SLOT_MS = 400;
/** A blockhash is usable for this many slots after its own. Source: MAX_PROCESSING_AGE, solana-clock. */
export const BLOCKHASH_SLOTS = 150;
/** Slots a view of the chain may lie in the past. */
export const MAX_LAG_SLOTS = 150;
/** First slot of epoch 1,036; LiteSVM's own default, below which its programs would not be active. */
export const GENESIS_SLOT = 447_552_000;
/** Slots before the first that the past may reach into: 40 days. */
export const PAST_SLOTS = 8_640_000;
/** Slots that never got a block: keeps slot and block height apart, as on mainnet, so that a mix-up shows. */
const SKIPPED_SLOTS = 21_000_000;
export const SLOTS_PER_EPOCH = 432_000;

export interface SlotClockState {
  /** 32 bytes, hex; every blockhash derives from it. */
  seed: string;
  /** Milliseconds since the epoch of GENESIS_SLOT. */
  genesisTime: number;
  /** Slots added by time travel. */
  skewSlots: number;
  /** The clock never goes back behind this. */
  lastSlot: number;
}

export interface SlotClock {
  state: SlotClockState;
  /** Moves to the slot of the wall clock. @returns whether the slot changed */
  tick(): boolean;
  slot(): number;
  blockHeight(): number;
  hashOf(slot: number): string;
  /** Slot of a hash that is usable at a slot (by default now), else null. */
  slotOfUsable(blockhash: string, at?: number): number | null;
  lastValidBlockHeight(slot: number): number;
  advance(slots: number): void;
}

/** Slots and blockhashes out of the wall clock: nothing but the seed is stored, so hashes outlive a restart. */
export function createSlotClock(state: SlotClockState, now: () => number): SlotClock {
  const seed = Buffer.from(state.seed, "hex");
  const hashes = new Map<string, number>();
  const bySlot = new Map<number, string>();
  let filledTo = 0;
  const hashOf = (slot: number) => {
    const known = bySlot.get(slot);
    if (known !== undefined) return known;
    const number = Buffer.alloc(8);
    number.writeBigUInt64LE(BigInt(slot));
    return bs58.encode(createHash("sha256").update(seed).update(number).digest());
  };
  /** Reckoned when somebody asks: a clock that jumps from day to day in a test would spend its time on nothing else. */
  const fill = () => {
    const to = state.lastSlot;
    if (filledTo === to) return;
    const oldest = to - BLOCKHASH_SLOTS - MAX_LAG_SLOTS;
    for (let slot = Math.max(filledTo + 1, oldest); slot <= to; slot++) {
      const hash = hashOf(slot);
      hashes.set(hash, slot);
      bySlot.set(slot, hash);
    }
    for (const [hash, slot] of hashes) {
      if (slot >= oldest) break;
      hashes.delete(hash);
      bySlot.delete(slot);
    }
    filledTo = to;
  };
  const wallSlot = () => GENESIS_SLOT + state.skewSlots + Math.floor((now() - state.genesisTime) / SLOT_MS);
  const height = (slot: number) => slot - SKIPPED_SLOTS;
  const moveTo = (slot: number) => {
    // A wall clock that was set back must not stop the slots until it has caught up.
    if (slot < state.lastSlot) state.skewSlots += state.lastSlot - slot;
    state.lastSlot = Math.max(state.lastSlot, slot);
  };
  const tick = () => {
    const before = state.lastSlot;
    moveTo(wallSlot());
    return state.lastSlot > before;
  };
  moveTo(wallSlot());
  return {
    state,
    tick,
    slot: () => state.lastSlot,
    blockHeight: () => height(state.lastSlot),
    hashOf,
    slotOfUsable(blockhash, at = state.lastSlot) {
      fill();
      const slot = hashes.get(blockhash);
      return slot !== undefined && slot <= at && slot >= at - BLOCKHASH_SLOTS ? slot : null;
    },
    lastValidBlockHeight: (slot) => height(slot) + BLOCKHASH_SLOTS,
    advance(slots) {
      state.skewSlots += slots;
      tick();
    },
  };
}
