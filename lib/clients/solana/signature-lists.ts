import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { HistoryEntry, HistoryPage } from "../../ports/solana-rpc";
import type { Asker, Budget } from "../quota/budget";
import { FINAL_SLOTS } from "./shared-transactions";

/*
 * Keeps the newest signatures of each address, so that the next listing only asks for newer ones.
 *
 * The problem: a wallet is listed again and again, mostly with nothing new. Strangers can lengthen its history, and a
 * node then sends up to 1,000 signatures each time.
 * The invariant: a list has no gap. It holds every transaction from its newest one down to `below`, or to the end.
 * How it is kept: only final entries are kept, because their order no longer changes. A listing asks a node for all
 * that is newer than the newest kept entry, and joins the two parts. A full page may end above the kept
 * entries, so it replaces them.
 * While the balances of an address stay the same, a caller may also get a list of the last half minute: a transaction
 * that the address paid for, or that paid it, changes them.
 * Example: a list holds T1 to T9, and T9 is final. The next listing asks with `until: T9`, gets T11 and T10, and
 * returns eleven entries.
 */

/** A node returns at most this many. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const MAX_PAGE = 1_000;
/** Memory limit: entries over all addresses, about 250 bytes each. */
const MAX_KEPT = 100_000;

interface SignatureList {
  /** Newest first. */
  entries: HistoryEntry[];
  /** The signature that ends the list and is not part of it; null if the list ends for another reason. */
  below: string | null;
  /** Whether the history has no older transactions. */
  isWhole: boolean;
  /** When it was read, ms since the epoch. */
  readAt: number;
  /** The address's balances just before it was read; null if they are not known. */
  balances: string | null;
  /** When these balances were first seen, ms since the epoch. */
  balancesSince: number;
}

interface SignatureListsOptions {
  clock: Clock;
  /** How long a listing is served without asking a node, ms. */
  ttlMs: number;
  getNewestSlot: () => number;
  onJoin: Budget["join"];
  /** Returns an address's balances as one text, or null if they cannot be read. */
  readBalances: (asker: Asker, address: string) => Promise<string | null>;
  /** Reads one page from a node. */
  read: (asker: Asker, address: string, page: HistoryPage) => Promise<HistoryEntry[]>;
}

/** A listing in flight. */
interface Load {
  asker: Asker;
  list: Promise<SignatureList>;
}

/** How long a list is served while the address's balances stay the same, ms. */
const UNCHANGED_MS = 30_000;
/**
 * A node may list a transaction this much later than it shows the changed balances, ms. It may lag by 25 slots. A list
 * is served only if it was read this long after the balances were first seen.
 */
const NODE_DELAY_MS = 10_000;

/** Creates the lists. `page` answers as SolanaRpc.readSignatures describes. */
export function createSignatureLists(options: SignatureListsOptions) {
  const { clock, ttlMs, getNewestSlot, onJoin, readBalances, read } = options;
  /** The final entries of each address. */
  const kept = createLists();
  /** The newest list of each address, with entries that are not final yet. */
  const recent = createLists();
  const loads = new Map<string, Load>();

  const keepFinalEntries = (address: string, list: SignatureList) => {
    const firstFinal = list.entries.findIndex(({ slot }) => slot + FINAL_SLOTS <= getNewestSlot());
    if (firstFinal >= 0) kept.set(address, { ...list, entries: list.entries.slice(firstFinal) });
  };

  const loadList = async (asker: Asker, address: string, page: HistoryPage, balances: string | null) => {
    const { limit, until, minSlot } = page;
    const begunAt = clock.now();
    const old = kept.get(address);
    const isUsable = old !== undefined && hasPage(old, { limit, until });
    const from = isUsable ? old.entries[0]!.signature : until;
    const size = isUsable ? MAX_PAGE : limit;
    const newer = await read(asker, address, {
      limit: size,
      ...(from !== undefined && { until: from }),
      ...(minSlot !== undefined && { minSlot }),
    });
    const isFull = newer.length === size;
    const list = isUsable && !isFull ? joinLists(newer, old) : startList(newer, isFull, from);
    keepFinalEntries(address, list);
    const last = recent.get(address);
    const balancesSince = last && last.balances === balances ? last.balancesSince : begunAt;
    return { ...list, readAt: clock.now(), balances, balancesSince };
  };

  const startLoad = (asker: Asker, address: string, page: HistoryPage, balances: string | null) => {
    const first = { share: asker.share, address: asker.address };
    const started: Load = { asker: first, list: loadList(first, address, page, balances) };
    const key = toKey(address, page);
    loads.set(key, started);
    const forget = () => loads.get(key) === started && loads.delete(key);
    started.list.then((list) => {
      // A load that `invalidate` has dropped answers only the callers that already wait for it.
      if (forget()) recent.set(address, list);
    }, forget);
    return started.list;
  };

  const readList = async (asker: Asker, address: string, page: HistoryPage): Promise<SignatureList> => {
    const balances = page.unlessUnchanged ? await readBalances(asker, address) : null;
    const last = recent.get(address);
    const isYounger = (ms: number) => last && clock.now() >= last.readAt && clock.now() - last.readAt < ms;
    const isReadLate = last !== undefined && last.readAt - last.balancesSince >= NODE_DELAY_MS;
    const isUnchanged = balances !== null && balances === last?.balances && isReadLate && isYounger(UNCHANGED_MS);
    const isCurrent = page.minSlot === undefined && isYounger(ttlMs);
    if (last && (isUnchanged || isCurrent) && hasPage(last, page)) return last;
    const running = page.minSlot === undefined && loads.get(toKey(address, page));
    if (!running) return startLoad(asker, address, page, balances);
    onJoin(running.asker, asker);
    return running.list;
  };

  return {
    async readPage(asker: Asker, address: string, page: HistoryPage): Promise<HistoryEntry[]> {
      if (page.before === undefined) return slicePage(await readList(asker, address, page), page);
      const old = kept.get(address);
      return old && hasPage(old, page) ? slicePage(old, page) : read(asker, address, page);
    },
    /**
     * Drops recent lists and loads in flight, which may lack a transaction that has just landed. Final entries stay.
     */
    invalidate(addresses: ReadonlySet<string>): void {
      for (const address of addresses) recent.delete(address);
      for (const key of [...loads.keys()]) if (addresses.has(key.slice(0, key.indexOf(",")))) loads.delete(key);
    },
  };
}

const createLists = () =>
  new LRUCache<string, SignatureList>({ maxSize: MAX_KEPT, sizeCalculation: ({ entries }) => entries.length + 1 });

const toKey = (address: string, { limit, until = "", minSlot }: HistoryPage) =>
  `${address},${limit},${until},${minSlot ?? ""}`;

/** @param from the signature above which the page ends */
function startList(entries: HistoryEntry[], isFull: boolean, from: string | undefined): SignatureList {
  return {
    entries,
    below: isFull ? null : (from ?? null),
    isWhole: !isFull && from === undefined,
    readAt: 0,
    balances: null,
    balancesSince: 0,
  };
}

/**
 * Puts newer entries on top of a list. A node that does not know `until` returns entries of the list and older ones.
 */
function joinLists(newer: HistoryEntry[], old: SignatureList): SignatureList {
  const top = old.entries[0]!;
  const end = newer.findIndex(({ signature, slot }) => signature === top.signature || slot < top.slot);
  const entries = [...(end < 0 ? newer : newer.slice(0, end)), ...old.entries];
  return entries.length <= MAX_PAGE
    ? { ...old, entries }
    : { ...old, entries: entries.slice(0, MAX_PAGE), below: null, isWhole: false };
}

/** Returns whether a list can answer a page without a gap. */
function hasPage(list: SignatureList, { limit, before, until }: HistoryPage): boolean {
  const { entries } = list;
  const start = before === undefined ? 0 : entries.findIndex(({ signature }) => signature === before) + 1;
  if (before !== undefined && start === 0) return false;
  if (list.isWhole || entries.length - start >= limit) return true;
  return until !== undefined && (until === list.below || entries.some(({ signature }) => signature === until));
}

/** Returns the page out of a list that has it. */
function slicePage({ entries }: SignatureList, { limit, before, until }: HistoryPage): HistoryEntry[] {
  const start = before === undefined ? 0 : entries.findIndex(({ signature }) => signature === before) + 1;
  const end = until === undefined ? -1 : entries.findIndex(({ signature }) => signature === until);
  return entries.slice(start, end < 0 ? undefined : end).slice(0, limit);
}
