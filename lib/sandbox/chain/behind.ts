import { decodeTransaction } from "./guard";
import { type Core, simulate } from "./run";
import { MAX_LAG_SLOTS } from "./slot-clock";
import { AGE_SLOTS, type Chain } from "./types";

/** Implements Chain.behind. All answers show the same moment. */
export function chainBehind(core: Core, tip: Chain, lagSlots: number): Chain {
  if (!Number.isSafeInteger(lagSlots) || lagSlots < 0 || lagSlots > MAX_LAG_SLOTS) {
    throw new RangeError(`lagSlots must be 0 to ${MAX_LAG_SLOTS}`);
  }
  const { clock, history, ledger } = core;
  const slot = () => tip.slot() - lagSlots;
  const usable = (blockhash: string) => clock.slotOfUsable(blockhash, slot());
  const seen = <T extends { slot: number }>(one: T | null) => (one && one.slot <= slot() ? one : null);
  const latestBlockhash = () => ({
    blockhash: clock.hashOf(slot()),
    lastValidBlockHeight: clock.lastValidBlockHeight(slot()),
  });
  return {
    ...tip,
    slot,
    blockHeight: () => tip.blockHeight() - lagSlots,
    latestBlockhash,
    isBlockhashValid: (blockhash) => usable(blockhash) !== null,
    lastValidBlockHeight(blockhash) {
      const found = usable(blockhash);
      return found === null ? null : clock.lastValidBlockHeight(found);
    },
    account: (address) => ledger.past.at(address, slot()),
    simulate(raw, options = {}) {
      const result = simulate(core, decodeTransaction(raw), options, slot());
      return options.replaceRecentBlockhash ? { ...result, replacementBlockhash: latestBlockhash() } : result;
    },
    signatureInfo: (signature) => seen(tip.signatureInfo(signature)),
    transaction: (signature) => seen(tip.transaction(signature)),
    signaturesFor(address, page) {
      const newest = slot() - AGE_SLOTS[page.commitment ?? "processed"];
      return history.forAddress(address, page, newest);
    },
    commitmentOf: (info) => tip.commitmentOf({ slot: info.slot + lagSlots }),
  };
}
