import { type Core, simulateTransaction } from "./core";
import { decodeTransaction } from "./decode-transaction";
import { MAX_LAG_SLOTS } from "./slot-clock";
import { AGE_SLOTS, type Chain } from "./types";

/** Implements the methods that depend on the current slot, for a node that lags by `lagSlots` slots. */
export function createClockView(core: Core, lagSlots: number) {
  const { clock } = core;
  const getSlot = () => {
    clock.advanceToWallSlot();
    return clock.getSlot() - lagSlots;
  };
  // A lagging node also learns `lagSlots` slots later that a transaction is stored.
  const getConfirmationLimitSlot = () => Math.min(core.unstored.waitingSlot, core.unstored.writingSlot) - lagSlots;
  const getLatestBlockhash = () => {
    const slot = getSlot();
    return { blockhash: clock.getHash(slot), lastValidBlockHeight: clock.computeLastValidBlockHeight(slot) };
  };
  return {
    getSlot,
    getLatestBlockhash,
    isBlockhashValid: (blockhash) => clock.findValidSlot(blockhash, getSlot()) !== null,
    getBlockHeight() {
      clock.advanceToWallSlot();
      return clock.getBlockHeight() - lagSlots;
    },
    readBlock(slot) {
      const transactions = core.history.listAtSlot(slot);
      const computedTime = Math.floor((core.now() - (clock.getSlot() - slot) * clock.slotMs) / 1000);
      return {
        blockhash: clock.getHash(slot),
        previousBlockhash: clock.getHash(slot - 1),
        blockHeight: clock.getBlockHeight(slot),
        blockTime: transactions[0]?.blockTime ?? computedTime,
        transactions,
      };
    },
    findCommitment(transactionInfo) {
      const ageSlots = getSlot() - transactionInfo.slot;
      if (ageSlots < AGE_SLOTS.confirmed || transactionInfo.slot >= getConfirmationLimitSlot()) return "processed";
      return ageSlots < AGE_SLOTS.finalized ? "confirmed" : "finalized";
    },
    listSignatures(address, page) {
      const commitment = page.commitment ?? "processed";
      const newestSlot = getSlot() - AGE_SLOTS[commitment];
      const newestConfirmableSlot = commitment === "processed" ? newestSlot : getConfirmationLimitSlot() - 1;
      return core.history.listForAddress(address, page, Math.min(newestSlot, newestConfirmableSlot));
    },
    simulate(transactionBytes, options = {}) {
      const result = simulateTransaction(core, decodeTransaction(transactionBytes), options, getSlot());
      return options.replaceRecentBlockhash ? { ...result, replacementBlockhash: getLatestBlockhash() } : result;
    },
  } satisfies Partial<Chain>;
}

/**
 * Implements Chain.createLaggingView. Reads of slots, accounts and signatures show the chain as it was `lagSlots` slots ago.
 * @throws RangeError if `lagSlots` is not an integer from 0 to MAX_LAG_SLOTS
 */
export function createLaggingChain(core: Core, tip: Chain, lagSlots: number): Chain {
  if (!Number.isSafeInteger(lagSlots) || lagSlots < 0 || lagSlots > MAX_LAG_SLOTS) {
    throw new RangeError(`lagSlots must be 0 to ${MAX_LAG_SLOTS}`);
  }
  const { ledger } = core;
  const clockView = createClockView(core, lagSlots);
  const hideIfNewer = <T extends { slot: number }>(record: T | null) =>
    record && record.slot <= clockView.getSlot() ? record : null;
  return {
    ...tip,
    ...clockView,
    getAccount: (address) => ledger.pastAccounts.findAt(address, clockView.getSlot()),
    findSignature: (signature) => hideIfNewer(tip.findSignature(signature)),
    findTransaction: (signature) => hideIfNewer(tip.findTransaction(signature)),
  };
}
