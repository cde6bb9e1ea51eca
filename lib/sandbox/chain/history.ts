import { BLOCKHASH_SLOTS } from "./slot-clock";
import type { SignatureInfo, SignaturePage, TransactionRecord } from "./types";

/** Maximum number of records in memory. The oldest are dropped first. */
const MAX_RECORDS = 20_000;
/** Number of records that a save keeps, so that it stays small. It also keeps older records that could run again. */
const MIN_SAVED_RECORDS = 2_000;

interface HistoryEntry {
  info: SignatureInfo;
  addresses: string[];
  /** The record as JSON. It takes less memory than an object, and is ready to save. */
  line: string;
}

export type TransactionHistory = ReturnType<typeof createTransactionHistory>;

/** Returns a page, newest first, of signatures that are stored oldest first. Empty when `before` is unknown. */
function slicePage(signatures: string[], { limit, before, until }: SignaturePage): string[] {
  const end = before === undefined ? signatures.length : signatures.lastIndexOf(before);
  const untilIndex = until === undefined ? -1 : signatures.lastIndexOf(until);
  const start = Math.max(untilIndex + 1, end - limit, 0);
  return end < 0 ? [] : signatures.slice(start, Math.max(start, end)).reverse();
}

/** Returns the newest entries: at least `minCount`, and every transaction that could run again if forgotten. */
function selectEntriesToSave(entries: HistoryEntry[], newestSlot: number, minCount: number): HistoryEntry[] {
  const firstRepeatableIndex = entries.findIndex((entry) => entry.info.slot >= newestSlot - BLOCKHASH_SLOTS);
  const firstKeptIndex = firstRepeatableIndex < 0 ? entries.length : firstRepeatableIndex;
  return entries.slice(Math.max(0, Math.min(entries.length - minCount, firstKeptIndex)));
}

function toEntry(record: TransactionRecord): HistoryEntry {
  const { signature, slot, blockTime, err, memo } = record;
  const info = { signature, slot, blockTime, err, memo };
  return { info, addresses: [...new Set(record.accountKeys)], line: JSON.stringify(record) };
}

/**
 * Records transactions by signature and by address. The history is bounded, but it keeps every transaction whose
 * blockhash may still be valid. Otherwise that transaction could run twice.
 */
export function createTransactionHistory(limit = MAX_RECORDS, minSavedCount = MIN_SAVED_RECORDS) {
  const entries = new Map<string, HistoryEntry>();
  const signaturesByAddress = new Map<string, string[]>();
  let newestSlot = 0;

  const evictOldEntries = () => {
    for (const [signature, entry] of entries) {
      if (entries.size <= limit || entry.info.slot >= newestSlot - BLOCKHASH_SLOTS) return;
      entries.delete(signature);
      // The chain's oldest transaction is also the oldest of each of its addresses.
      for (const address of entry.addresses) {
        const signatures = signaturesByAddress.get(address);
        signatures?.shift();
        if (signatures?.length === 0) signaturesByAddress.delete(address);
      }
    }
  };
  return {
    /** Inserts records by slot, after existing ones of the same slot. @param records oldest first */
    addRecords(...records: TransactionRecord[]): void {
      const [oldest] = records;
      // Remove the later entries, and append them again after all new ones: a backdated history may be long.
      const laterEntries =
        oldest && oldest.slot < newestSlot ? [...entries].filter(([, { info }]) => info.slot > oldest.slot) : [];
      for (const [signature] of laterEntries) entries.delete(signature);
      const newEntries = records.map(toEntry);
      const orderedEntries = [...laterEntries.map(([, entry]) => entry), ...newEntries].sort(
        (left, right) => left.info.slot - right.info.slot,
      );
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
      evictOldEntries();
    },
    findInfo: (signature: string): SignatureInfo | null => entries.get(signature)?.info ?? null,
    findRecord(signature: string): TransactionRecord | null {
      const entry = entries.get(signature);
      return entry ? (JSON.parse(entry.line) as TransactionRecord) : null;
    },
    /** Returns the records of a slot, oldest first. */
    listAtSlot: (slot: number): TransactionRecord[] =>
      [...entries.values()]
        .filter(({ info }) => info.slot === slot)
        .map(({ line }) => JSON.parse(line) as TransactionRecord),
    /** Returns the record as JSON; null for an unknown signature. */
    findLine: (signature: string): string | null => entries.get(signature)?.line ?? null,
    /** Returns a page of signatures for an address. Omits transactions later than `newestSlot`. */
    listForAddress(address: string, page: SignaturePage, newestSlot: number): SignatureInfo[] {
      const signatures = signaturesByAddress.get(address) ?? [];
      let visibleCount = signatures.length;
      while (visibleCount > 0 && entries.get(signatures[visibleCount - 1]!)!.info.slot > newestSlot) visibleCount--;
      return slicePage(signatures.slice(0, visibleCount), page).map((signature) => entries.get(signature)!.info);
    },
    /** Returns the records worth saving as JSON, oldest first. */
    listLines: () => selectEntriesToSave([...entries.values()], newestSlot, minSavedCount).map((entry) => entry.line),
  };
}
