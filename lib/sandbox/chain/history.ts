import { BLOCKHASH_SLOTS } from "./slot-clock";
import type { SignatureInfo, SignaturePage, TransactionRecord } from "./types";

/** Maximum number of records. The oldest are dropped first. */
const MAX_RECORDS = 20_000;

/** A record in the form in which it is stored. */
export interface StoredRecord {
  /** Place in the order of execution, from 1. */
  serial: number;
  /** The TransactionRecord. JSON takes less memory than an object. */
  json: string;
}

interface HistoryEntry extends StoredRecord {
  info: SignatureInfo;
  addresses: string[];
}

export type TransactionHistory = ReturnType<typeof createTransactionHistory>;

const isEarlier = (entry: HistoryEntry, other: HistoryEntry) =>
  entry.info.slot === other.info.slot ? entry.serial < other.serial : entry.info.slot < other.info.slot;

/**
 * Returns a page, newest first, of an address's entries, which are oldest first. As on a cluster, `before` and `until`
 * need not name the address. The page is empty when `before` is unknown.
 * Source: get_confirmed_signatures_for_address2, agave.
 */
function slicePage(
  addressEntries: HistoryEntry[],
  { limit, before, until }: SignaturePage,
  findEntry: (signature: string) => HistoryEntry | undefined,
): SignatureInfo[] {
  const [beforeEntry, untilEntry] = [before, until].map((signature) => findEntry(signature ?? ""));
  if (before !== undefined && !beforeEntry) return [];
  const end = beforeEntry ? addressEntries.findLastIndex((entry) => isEarlier(entry, beforeEntry)) + 1 : undefined;
  const start = untilEntry ? addressEntries.findLastIndex((entry) => !isEarlier(untilEntry, entry)) + 1 : 0;
  const pageEntries = addressEntries.slice(start, end).slice(-limit).reverse();
  return pageEntries.map(({ info }) => info);
}

const parseRecord = ({ json }: StoredRecord) => JSON.parse(json) as TransactionRecord;

function toEntry({ signature, slot, blockTime, err, memo, accountKeys }: TransactionRecord, stored: StoredRecord) {
  return { ...stored, info: { signature, slot, blockTime, err, memo }, addresses: [...new Set(accountKeys)] };
}

/**
 * Records transactions by signature and by address. The history is bounded, but it keeps every transaction whose
 * blockhash may still be valid. Otherwise that transaction could run twice.
 * @param storedRecords records of an earlier process, by serial
 */
export function createTransactionHistory(storedRecords: StoredRecord[] = [], limit = MAX_RECORDS) {
  /** By slot, and within a slot by serial. */
  const entries = new Map<string, HistoryEntry>();
  const signaturesByAddress = new Map<string, string[]>();
  let newestSlot = 0;
  let lastSerial = storedRecords.at(-1)?.serial ?? 0;
  let newRecords: StoredRecord[] = [];
  let droppedSerials: number[] = [];

  const dropOldEntries = () => {
    for (const [signature, { info, addresses, serial }] of entries) {
      if (entries.size <= limit || info.slot >= newestSlot - BLOCKHASH_SLOTS) return;
      entries.delete(signature);
      droppedSerials.push(serial);
      // The chain's oldest transaction is also the oldest of each of its addresses.
      for (const address of addresses) {
        const signatures = signaturesByAddress.get(address);
        signatures?.shift();
        if (signatures?.length === 0) signaturesByAddress.delete(address);
      }
    }
  };
  /** Inserts entries by slot, after existing ones of the same slot. */
  const insertEntries = (newEntries: HistoryEntry[]): void => {
    const oldestSlot = Math.min(...newEntries.map(({ info }) => info.slot));
    // Remove the later entries, and append them again after all new ones: a backdated history may be long.
    const laterEntries =
      oldestSlot < newestSlot ? [...entries.values()].filter(({ info }) => info.slot > oldestSlot) : [];
    for (const { info } of laterEntries) entries.delete(info.signature);
    const orderedEntries = [...laterEntries, ...newEntries].sort((left, right) => left.info.slot - right.info.slot);
    for (const entry of orderedEntries) entries.set(entry.info.signature, entry);
    for (const { info, addresses } of newEntries) {
      for (const address of addresses) {
        const signatures = signaturesByAddress.get(address) ?? [];
        let index = signatures.length;
        while (index > 0 && entries.get(signatures[index - 1]!)!.info.slot > info.slot) index--;
        signatures.splice(index, 0, info.signature);
        signaturesByAddress.set(address, signatures);
      }
      newestSlot = Math.max(newestSlot, info.slot);
    }
    dropOldEntries();
  };
  insertEntries(storedRecords.map((stored) => toEntry(parseRecord(stored), stored)));
  return {
    addRecords(...records: TransactionRecord[]): void {
      const addedRecords = records.map((record) => ({ serial: ++lastSerial, json: JSON.stringify(record) }));
      newRecords.push(...addedRecords);
      insertEntries(addedRecords.map((stored, index) => toEntry(records[index]!, stored)));
    },
    findInfo: (signature: string): SignatureInfo | null => entries.get(signature)?.info ?? null,
    findRecord(signature: string): TransactionRecord | null {
      const entry = entries.get(signature);
      return entry ? parseRecord(entry) : null;
    },
    /** Returns the records of a slot, oldest first. */
    listAtSlot: (slot: number): TransactionRecord[] =>
      [...entries.values()].filter(({ info }) => info.slot === slot).map(parseRecord),
    /** Returns a page of signatures for an address. Omits transactions later than `newestSlot`. */
    listForAddress(address: string, page: SignaturePage, newestSlot: number): SignatureInfo[] {
      const signatures = signaturesByAddress.get(address) ?? [];
      let visibleCount = signatures.length;
      while (visibleCount > 0 && entries.get(signatures[visibleCount - 1]!)!.info.slot > newestSlot) visibleCount--;
      const visibleEntries = signatures.slice(0, visibleCount).map((signature) => entries.get(signature)!);
      return slicePage(visibleEntries, page, (signature) => entries.get(signature));
    },
    /** Returns what has changed since the last call: the added records, and the serials of the dropped ones. */
    takeChanges() {
      const changes = { records: newRecords, droppedSerials };
      newRecords = [];
      droppedSerials = [];
      return changes;
    },
  };
}
