import { decodeTransaction } from "./guard";
import { type Core, simulateTransaction } from "./run";
import { MAX_LAG_SLOTS } from "./slot-clock";
import { AGE_SLOTS, type Chain } from "./types";

/** Implements the methods that depend on the current slot, for a node that lags by `lagSlots` slots. */
export function createClockView(core: Core, lagSlots: number) {
  const { clock } = core;
  const getSlot = () => {
    clock.advanceToWallSlot();
    return clock.getSlot() - lagSlots;
  };
  const findUsableSlot = (blockhash: string) => clock.findUsableSlot(blockhash, getSlot());
  const getLatestBlockhash = () => {
    const slot = getSlot();
    return { blockhash: clock.getHash(slot), lastValidBlockHeight: clock.computeLastValidBlockHeight(slot) };
  };
  return {
    getSlot,
    getLatestBlockhash,
    isBlockhashValid: (blockhash) => findUsableSlot(blockhash) !== null,
    findLastValidBlockHeight(blockhash) {
      const slot = findUsableSlot(blockhash);
      return slot === null ? null : clock.computeLastValidBlockHeight(slot);
    },
    getBlockHeight() {
      clock.advanceToWallSlot();
      return clock.getBlockHeight() - lagSlots;
    },
    findCommitment(info) {
      const ageSlots = getSlot() - info.slot;
      if (ageSlots < AGE_SLOTS.confirmed || info.slot + lagSlots >= core.getConfirmationLimit()) return "processed";
      return ageSlots < AGE_SLOTS.finalized ? "confirmed" : "finalized";
    },
    simulate(raw, options = {}) {
      const result = simulateTransaction(core, decodeTransaction(raw), options, getSlot());
      return options.replaceRecentBlockhash ? { ...result, replacementBlockhash: getLatestBlockhash() } : result;
    },
  } satisfies Partial<Chain>;
}

/** Implements Chain.behind. Every read shows the chain as it was `lagSlots` slots ago. */
export function createChainBehind(core: Core, tip: Chain, lagSlots: number): Chain {
  if (!Number.isSafeInteger(lagSlots) || lagSlots < 0 || lagSlots > MAX_LAG_SLOTS) {
    throw new RangeError(`lagSlots must be 0 to ${MAX_LAG_SLOTS}`);
  }
  const { history, ledger } = core;
  const clock = createClockView(core, lagSlots);
  const hideIfNewer = <T extends { slot: number }>(record: T | null) =>
    record && record.slot <= clock.getSlot() ? record : null;
  return {
    ...tip,
    ...clock,
    getAccount: (address) => ledger.pastAccounts.findAt(address, clock.getSlot()),
    findSignature: (signature) => hideIfNewer(tip.findSignature(signature)),
    findTransaction: (signature) => hideIfNewer(tip.findTransaction(signature)),
    listSignatures(address, page) {
      const newestSlot = clock.getSlot() - AGE_SLOTS[page.commitment ?? "processed"];
      return history.listForAddress(address, page, newestSlot);
    },
  };
}
