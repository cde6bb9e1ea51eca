import { createHash } from "node:crypto";
import bs58 from "bs58";

/** Default length of a slot, ms. Source: mainnet since Agave 4.2 (solana.com/upgrades). */
export const DEFAULT_SLOT_MS = 200;
/** Number of slots after its own slot for which a blockhash is valid. Source: MAX_PROCESSING_AGE, solana-clock. */
export const BLOCKHASH_SLOTS = 150;
/** Maximum number of slots that a lagging view may be behind. */
export const MAX_LAG_SLOTS = 150;
/** Enough for a lagging node's valid blockhashes, and those of backdated transactions. */
const MAX_CACHED_HASHES = 1_000;
/** First slot of epoch 1,036, LiteSVM's default. Its programs are inactive at earlier slots. */
export const GENESIS_SLOT = 447_552_000;
/** Number of slots before GENESIS_SLOT that backdated transactions may use: 40 days of 200 ms slots. */
export const PAST_SLOTS = 17_280_000;
/** Difference between slot and block height, as on mainnet, so that a test notices code that confuses them. */
const SKIPPED_SLOTS = 21_000_000;
/** An epoch is a day of 200 ms slots. Source: DEFAULT_SLOTS_PER_EPOCH, solana-clock. */
export const SLOTS_PER_EPOCH = 432_000;

export interface SlotClockState {
  /** 32 bytes as hex. Every blockhash derives from them. */
  seed: string;
  /** Time of GENESIS_SLOT, ms since the epoch. */
  genesisTime: number;
  /** Slots added by time travel in tests. */
  skewSlots: number;
  /** Lower bound of the clock, which never goes backwards. */
  lastSlot: number;
  /** Length of a slot, ms. A new chain has none yet. */
  slotMs?: number;
}

export type SlotClock = ReturnType<typeof createSlotClock>;

/**
 * Derives slots and blockhashes from the wall clock. Only the seed is stored, so blockhashes survive a restart.
 * @param slotMs length of a slot, ms; a stored chain with another length continues from its slot
 */
export function createSlotClock(state: SlotClockState, now: () => number, slotMs = DEFAULT_SLOT_MS) {
  const countSlots = (lengthMs: number) => Math.floor((now() - state.genesisTime) / lengthMs);
  state.skewSlots += countSlots(state.slotMs ?? slotMs) - countSlots(slotMs);
  state.slotMs = slotMs;
  const seed = Buffer.from(state.seed, "hex");
  /** Hashes of recent slots, in the order in which they were computed. */
  const hashesBySlot = new Map<number, string>();
  const getHash = (slot: number): string => {
    const knownHash = hashesBySlot.get(slot);
    if (knownHash !== undefined) return knownHash;
    const slotBytes = Buffer.alloc(8);
    slotBytes.writeBigUInt64LE(BigInt(slot));
    const hash = bs58.encode(createHash("sha256").update(seed).update(slotBytes).digest());
    hashesBySlot.set(slot, hash);
    if (hashesBySlot.size > MAX_CACHED_HASHES) hashesBySlot.delete(hashesBySlot.keys().next().value!);
    return hash;
  };
  const getWallSlot = () => GENESIS_SLOT + state.skewSlots + countSlots(slotMs);
  const getHeight = (slot: number) => slot - SKIPPED_SLOTS;
  const moveTo = (slot: number) => {
    // If the wall clock is set back, add the difference, so that slots continue at once.
    if (slot < state.lastSlot) state.skewSlots += state.lastSlot - slot;
    state.lastSlot = Math.max(state.lastSlot, slot);
  };
  /** Advances to the wall clock's slot. */
  const advanceToWallSlot = () => moveTo(getWallSlot());
  advanceToWallSlot();
  return {
    state,
    slotMs,
    advanceToWallSlot,
    getSlot: () => state.lastSlot,
    /** Returns the time until the current slot ends, ms. It may be past: the clock advances only when it is asked. */
    computeMsToSlotEnd(): number {
      const endTime = state.genesisTime + (state.lastSlot + 1 - GENESIS_SLOT - state.skewSlots) * slotMs;
      return Math.min(endTime - now(), slotMs);
    },
    getBlockHeight: (slot = state.lastSlot) => getHeight(slot),
    getHash,
    /** Returns the slot of a blockhash that is valid at `currentSlot`; null for an unknown or expired blockhash. */
    findValidSlot(blockhash: string, currentSlot = state.lastSlot): number | null {
      for (let slot = currentSlot; slot >= currentSlot - BLOCKHASH_SLOTS; slot--)
        if (getHash(slot) === blockhash) return slot;
      return null;
    },
    computeLastValidBlockHeight: (slot: number) => getHeight(slot) + BLOCKHASH_SLOTS,
    advance(slots: number): void {
      state.skewSlots += slots;
      advanceToWallSlot();
    },
  };
}
