import { BLOCKHASH_SLOTS } from "./slot-clock";
import type { SignatureInfo, SignaturePage, TransactionRecord } from "./types";

/** Records kept in memory; the oldest go first. */
const HISTORY_LIMIT = 20_000;
/** Records written to disk, so that a save stays small. */
const SAVED_HISTORY_LIMIT = 2_000;

interface Entry {
  info: SignatureInfo;
  addresses: string[];
  /** The record as JSON: smaller in memory than objects, and ready to be saved. */
  line: string;
}

export interface History {
  /** Each in the place its slot has; after the others of the same one. @param records oldest first */
  add(...records: TransactionRecord[]): void;
  has(signature: string): boolean;
  info(signature: string): SignatureInfo | null;
  record(signature: string): TransactionRecord | null;
  /** The record as JSON. */
  line(signature: string): string | null;
  /** @param newestSlot what happened later is left out */
  forAddress(address: string, page: SignaturePage, newestSlot: number): SignatureInfo[];
  /** JSON of the records worth saving, oldest first. */
  lines(): string[];
}

/** A page out of signatures kept oldest first, answered newest first. */
function page(all: string[], { limit, before, until }: SignaturePage): string[] {
  const end = before === undefined ? all.length : all.lastIndexOf(before);
  const floor = until === undefined ? -1 : all.lastIndexOf(until);
  const start = Math.max(floor + 1, end - limit, 0);
  return end < 0 ? [] : all.slice(start, Math.max(start, end)).reverse();
}

/** @returns whether the list is empty then */
function removeFirst(list: string[] | undefined): boolean {
  list?.shift();
  return list?.length === 0;
}

/** Entries worth saving: the newest, and all that could run again if they were forgotten. */
function worthSaving(all: Entry[], newestSlot: number, limit: number): Entry[] {
  const recent = all.findIndex((entry) => entry.info.slot >= newestSlot - BLOCKHASH_SLOTS);
  return all.slice(Math.max(0, Math.min(all.length - limit, recent < 0 ? all.length : recent)));
}

function entryOf(record: TransactionRecord): Entry {
  const { signature, slot, blockTime, err, memo } = record;
  const info = { signature, slot, blockTime, err, memo };
  return { info, addresses: [...new Set(record.accountKeys)], line: JSON.stringify(record) };
}

/**
 * What happened on the chain, by signature and by address. Bounded, except that a transaction whose blockhash may
 * still be usable is never forgotten, since then it could run twice.
 */
export function createHistory(limit = HISTORY_LIMIT, savedLimit = SAVED_HISTORY_LIMIT): History {
  const entries = new Map<string, Entry>();
  const byAddress = new Map<string, string[]>();
  let newestSlot = 0;

  const evict = () => {
    for (const [signature, entry] of entries) {
      if (entries.size <= limit || entry.info.slot >= newestSlot - BLOCKHASH_SLOTS) return;
      entries.delete(signature);
      // The oldest transaction of the chain is the oldest of each of its addresses.
      for (const address of entry.addresses) if (removeFirst(byAddress.get(address))) byAddress.delete(address);
    }
  };
  return {
    add(...records) {
      const [oldest] = records;
      // What is later stands behind them again; all of it at once, as a past may hold many.
      const later =
        oldest && oldest.slot < newestSlot ? [...entries].filter(([, { info }]) => info.slot > oldest.slot) : [];
      for (const [signature] of later) entries.delete(signature);
      const added = records.map(entryOf);
      const merged = [...later.map(([, entry]) => entry), ...added].sort((a, b) => a.info.slot - b.info.slot);
      for (const entry of merged) entries.set(entry.info.signature, entry);
      for (const { info, addresses } of added) {
        for (const address of addresses) {
          const list = byAddress.get(address) ?? [];
          let at = list.length;
          while (at > 0 && entries.get(list[at - 1]!)!.info.slot > info.slot) at--;
          list.splice(at, 0, info.signature);
          byAddress.set(address, list);
        }
        newestSlot = Math.max(newestSlot, info.slot);
      }
      evict();
    },
    has: (signature) => entries.has(signature),
    info: (signature) => entries.get(signature)?.info ?? null,
    record(signature) {
      const entry = entries.get(signature);
      return entry ? (JSON.parse(entry.line) as TransactionRecord) : null;
    },
    line: (signature) => entries.get(signature)?.line ?? null,
    forAddress(address, wanted, newest) {
      const all = byAddress.get(address) ?? [];
      let count = all.length;
      while (count > 0 && entries.get(all[count - 1]!)!.info.slot > newest) count--;
      return page(count < all.length ? all.slice(0, count) : all, wanted).map((s) => entries.get(s)!.info);
    },
    lines: () => worthSaving([...entries.values()], newestSlot, savedLimit).map((entry) => entry.line),
  };
}
