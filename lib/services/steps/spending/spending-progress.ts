import { fromMicroUsd } from "../../../domain/money";
import type { BatchPayment } from "../../../domain/spending/batches";
import type { LeftOutReason } from "../../../domain/spending/spending";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import type { SpendingReading } from "./spending-reader";

/*
 * Keeps how far a wallet's unsaved transactions have been read: every transaction in a slot up to `readTo`, whichever
 * history lists it. Otherwise a later answer could extend a batch at its lower end, and save a payment unseen.
 * Transactions of all histories are read in the order of their slots, up to the slot that all histories are known to
 * reach, and up to the first transaction that is not certain.
 */

/** The stored progress of reading. It is valid only while `savedThrough` is the wallet's last saved payment. */
export type SpendingProgress = {
  savedThrough: string | null;
  readTo: number;
  /** The newest transaction read of each address. */
  upTo: Record<string, string>;
  payments: [...payment: BatchPayment, blockTime: number | null][];
  leftOut: Partial<Record<LeftOutReason, number>>;
  /** The state of each dollar account of which all transactions have been read. */
  accounts: Record<string, string>;
};

/** The entries of a history that have not been read, or a part of them. */
export interface AddressList {
  address: string;
  entries: HistoryEntry[];
  /** Whether the entries reach down to the start of the listing, or to what was read before. */
  isComplete: boolean;
  /** False if the history is too long to list. The entries are then those that directly follow what was read before. */
  includesNewest: boolean;
}

export interface UnsavedListing {
  /** The wallet's list, then those of its dollar accounts that may have new entries. Empty if marks are not all read. */
  lists: AddressList[];
  /** The entries that have not been read, each once, newest first. */
  unreadEntries: HistoryEntry[];
  /** The last saved payment. Null if none is saved; the listing then begins at `sinceMs`. */
  savedThrough: string | null;
  /** The slot of the last saved payment; -1 if none is saved. */
  savedSlot: number;
  isComplete: boolean;
  /** All lists are complete up to this slot, or have all entries up to one inside it. */
  reachedSlot: number;
  /** All lists are complete up to this slot, this slot included. */
  closedSlot: number;
  accountStates: Record<string, string>;
  callCount: number;
  /** The stored progress since `savedThrough`, without the payments before the start of the listing. */
  progress: SpendingProgress;
}

export const createProgress = (savedThrough: string | null, savedSlot: number): SpendingProgress => {
  return { savedThrough, readTo: savedSlot, upTo: {}, payments: [], leftOut: {}, accounts: {} };
};

/**
 * Extends the progress up to the first transaction that is not certain yet.
 * @param readings oldest first
 * @returns `openEntries`: the entries that have not been read; `isNew`: whether the progress has to be stored
 */
export function advanceProgress(listing: UnsavedListing, readings: SpendingReading[]) {
  const { progress, lists, unreadEntries, isComplete, reachedSlot, closedSlot, accountStates } = listing;
  const uncertainIndex = readings.findIndex(({ reason, value }) => reason === null && value === null);
  const certainReadings = uncertainIndex < 0 ? readings : readings.slice(0, uncertainIndex);
  const readSignatures = new Set(certainReadings.map(({ entry }) => entry.signature));
  const knownPayments = new Set(progress.payments.map(([signature]) => signature));
  const newPayments = certainReadings.flatMap(({ entry, value }): SpendingProgress["payments"] =>
    value && !knownPayments.has(entry.signature)
      ? [[entry.signature, fromMicroUsd(value.microUsd), entry.slot, entry.blockTime]]
      : [],
  );
  const openEntries = new Set(unreadEntries.filter(({ signature }) => !readSignatures.has(signature)));
  const upTo = { ...progress.upTo };
  const accounts = { ...progress.accounts };
  for (const { address, entries, includesNewest } of lists) {
    const newestRead = entries.find(({ signature }) => readSignatures.has(signature));
    if (newestRead) upTo[address] = newestRead.signature;
    const state = accountStates[address];
    const hasUnread = entries.some((entry) => openEntries.has(entry));
    if (isComplete && includesNewest && !hasUnread && state !== undefined) accounts[address] = state;
    // An account with unread transactions is listed again even if it returns to a state in which all had been read.
    else delete accounts[address];
  }
  const openEntry = [...openEntries].findLast(({ slot }) => slot <= reachedSlot);
  const readTo = openEntry ? openEntry.slot - 1 : closedSlot;
  const extendedProgress: SpendingProgress = {
    ...progress,
    readTo: isComplete ? Math.max(progress.readTo, readTo) : progress.readTo,
    upTo,
    accounts,
    payments: [...progress.payments, ...newPayments].sort(([, , slot], [, , otherSlot]) => slot - otherSlot),
    leftOut: countReasons({ ...progress.leftOut }, certainReadings),
  };
  const hasNewState = lists.some(({ address }) => accounts[address] !== progress.accounts[address]);
  return { progress: extendedProgress, openEntries, isNew: certainReadings.length > 0 || hasNewState };
}

export function countReasons(counts: SpendingProgress["leftOut"], readings: SpendingReading[]) {
  for (const { reason } of readings) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** The entries of the payments that have been read, which a listing need not contain any more. */
export const listReadPayments = ({ payments }: SpendingProgress): HistoryEntry[] =>
  payments.map(([signature, , slot, blockTime]) => ({ signature, slot, blockTime, error: null, memo: null }));
