import { decodeTransaction } from "./guard";
import { type Core, simulate } from "./run";
import { MAX_LAG_SLOTS } from "./slot-clock";
import { AGE_SLOTS, type Chain } from "./types";

export type ClockPart =
  | "latestBlockhash"
  | "isBlockhashValid"
  | "lastValidBlockHeight"
  | "slot"
  | "blockHeight"
  | "commitmentOf"
  | "simulate";

/** Implements what depends on the current slot, for a node that lags by `lagSlots` slots. */
export function createClockView(core: Core, lagSlots: number): Pick<Chain, ClockPart> {
  const { clock } = core;
  const slot = () => {
    clock.tick();
    return clock.slot() - lagSlots;
  };
  const usable = (blockhash: string) => clock.slotOfUsable(blockhash, slot());
  const latestBlockhash = () => {
    const latest = slot();
    return { blockhash: clock.getHash(latest), lastValidBlockHeight: clock.lastValidBlockHeight(latest) };
  };
  return {
    slot,
    latestBlockhash,
    isBlockhashValid: (blockhash) => usable(blockhash) !== null,
    lastValidBlockHeight(blockhash) {
      const found = usable(blockhash);
      return found === null ? null : clock.lastValidBlockHeight(found);
    },
    blockHeight() {
      clock.tick();
      return clock.blockHeight() - lagSlots;
    },
    commitmentOf(info) {
      const age = slot() - info.slot;
      if (age < AGE_SLOTS.confirmed || info.slot + lagSlots >= core.confirmBefore()) return "processed";
      return age < AGE_SLOTS.finalized ? "confirmed" : "finalized";
    },
    simulate(raw, options = {}) {
      const result = simulate(core, decodeTransaction(raw), options, slot());
      return options.replaceRecentBlockhash ? { ...result, replacementBlockhash: latestBlockhash() } : result;
    },
  };
}

/** Implements Chain.behind. All answers show the same moment. */
export function createChainBehind(core: Core, tip: Chain, lagSlots: number): Chain {
  if (!Number.isSafeInteger(lagSlots) || lagSlots < 0 || lagSlots > MAX_LAG_SLOTS) {
    throw new RangeError(`lagSlots must be 0 to ${MAX_LAG_SLOTS}`);
  }
  const { history, ledger } = core;
  const clock = createClockView(core, lagSlots);
  const seen = <T extends { slot: number }>(one: T | null) => (one && one.slot <= clock.slot() ? one : null);
  return {
    ...tip,
    ...clock,
    account: (address) => ledger.past.at(address, clock.slot()),
    signatureInfo: (signature) => seen(tip.signatureInfo(signature)),
    transaction: (signature) => seen(tip.transaction(signature)),
    signaturesFor(address, page) {
      const newest = clock.slot() - AGE_SLOTS[page.commitment ?? "processed"];
      return history.forAddress(address, page, newest);
    },
  };
}
