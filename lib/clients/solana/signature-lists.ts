import type { Clock } from "../../ports/clock";
import type { HistoryEntry, HistoryPageRequest } from "../../ports/solana-rpc";
import { createLru } from "../process/cache";
import type { Bucket } from "../quota/bucket";
import { createLoadUser, type QuotaUser } from "../quota/quota-port";
import { SLOTS_UNTIL_FINAL } from "./shared-transactions";

/*
 * Keeps the newest signatures of each address, so that the next listing only asks for newer ones. Strangers can
 * lengthen a wallet's history, and a node then sends up to 1,000 signatures each time.
 *
 * The invariant: a list has no gap. It holds every transaction from its newest entry down to its oldest one.
 * How it is kept: only final entries are kept, because their order no longer changes. A listing asks a node for all
 * that is newer than the newest kept entry, and joins the two parts. A full page may end above the kept entries, so it
 * replaces them. While the balances of an address stay the same, a caller may also get a list of the last half minute:
 * a transaction that the address paid for, or that paid it, changes them.
 */

/** The largest number of entries of a node's page. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const MAX_PAGE_SIZE = 1_000;
/** Memory limit of each of the two caches: entries over all addresses, about 250 bytes each. */
const MAX_CACHED_ENTRIES = 100_000;

interface SignatureList {
  /** Newest first. */
  entries: HistoryEntry[];
  /** The signature right below the oldest entry; null if the list ends with the history or with a full page. */
  belowSignature: string | null;
  /** Whether the history has no older transactions. */
  isWhole: boolean;
}

interface RecentList extends SignatureList {
  /** When the list was read, ms since the epoch. */
  readAt: number;
  /** The address's balances just before the list was read; null if they are not known. */
  balances: string | null;
  /** When these balances were first seen, ms since the epoch. */
  balancesFirstSeenAt: number;
}

interface SignatureListsOptions {
  clock: Clock;
  ttlMs: number;
  getNewestSlot: () => number;
  onJoin: Bucket["join"];
  /** Returns an address's balances as one text, or null if they cannot be read. */
  readBalances: (quotaUser: QuotaUser, address: string) => Promise<string | null>;
  readNodePage: (quotaUser: QuotaUser, address: string, page: HistoryPageRequest) => Promise<HistoryEntry[]>;
}

interface Load {
  quotaUser: QuotaUser;
  pendingList: Promise<RecentList>;
}

/** How long a list is served while the address's balances stay the same, ms. */
const UNCHANGED_TTL_MS = 30_000;
/** The same for a state that the caller has read. It changes with each transaction that matters to the caller. */
const UNCHANGED_STATE_TTL_MS = 600_000;
/**
 * A node may list a transaction this much later than it shows the changed balances: 25 slots, the largest lag of a node
 * in use. A list is served only if it was read this long after the balances were first seen.
 */
const NODE_DELAY_MS = 10_000;

/** Creates the lists. `readPage` answers as SolanaRpc.readSignatures describes. */
export function createSignatureLists(options: SignatureListsOptions) {
  const { clock, ttlMs, getNewestSlot, onJoin, readBalances, readNodePage } = options;
  const finalLists = createListCache<SignatureList>();
  const recentLists = createListCache<RecentList>();
  const loadsByKey = new Map<string, Load>();

  const keepFinalEntries = (address: string, list: SignatureList) => {
    const firstFinalIndex = list.entries.findIndex(({ slot }) => slot + SLOTS_UNTIL_FINAL <= getNewestSlot());
    if (firstFinalIndex >= 0) finalLists.set(address, { ...list, entries: list.entries.slice(firstFinalIndex) });
  };

  const loadList = async (quotaUser: QuotaUser, address: string, page: HistoryPageRequest, balances: string | null) => {
    const { limit, until, minSlot } = page;
    const startedAt = clock.now();
    const finalList = finalLists.get(address);
    const isUsable = finalList !== undefined && hasPage(finalList, { limit, until });
    const untilSignature = isUsable ? finalList.entries[0]!.signature : until;
    const pageSize = isUsable ? MAX_PAGE_SIZE : limit;
    const newerEntries = await readNodePage(quotaUser, address, { limit: pageSize, until: untilSignature, minSlot });
    const isFull = newerEntries.length === pageSize;
    const list =
      isUsable && !isFull ? joinLists(newerEntries, finalList) : createList(newerEntries, isFull, untilSignature);
    keepFinalEntries(address, list);
    const recentList = recentLists.get(address);
    const balancesFirstSeenAt = recentList?.balances === balances ? recentList.balancesFirstSeenAt : startedAt;
    return { ...list, readAt: clock.now(), balances, balancesFirstSeenAt };
  };

  const startLoad = (quotaUser: QuotaUser, address: string, page: HistoryPageRequest, balances: string | null) => {
    const loadQuotaUser = createLoadUser(quotaUser);
    const load: Load = { quotaUser: loadQuotaUser, pendingList: loadList(loadQuotaUser, address, page, balances) };
    const key = toLoadKey(address, page);
    loadsByKey.set(key, load);
    const removeLoad = () => loadsByKey.get(key) === load && loadsByKey.delete(key);
    load.pendingList.then((list) => {
      // A load that `invalidate` has dropped answers only the callers that already wait for it.
      if (removeLoad()) recentLists.set(address, list);
    }, removeLoad);
    return load.pendingList;
  };

  const readList = async (quotaUser: QuotaUser, address: string, page: HistoryPageRequest): Promise<SignatureList> => {
    const balances =
      page.unchangedState ?? (page.mayUseCacheIfUnchanged ? await readBalances(quotaUser, address) : null);
    const recentList = recentLists.get(address);
    const isYoungerThan = (maxAgeMs: number) =>
      recentList && clock.now() >= recentList.readAt && clock.now() - recentList.readAt < maxAgeMs;
    const isPastDelay = recentList !== undefined && recentList.readAt - recentList.balancesFirstSeenAt >= NODE_DELAY_MS;
    const unchangedTtlMs = page.unchangedState === undefined ? UNCHANGED_TTL_MS : UNCHANGED_STATE_TTL_MS;
    const isUnchanged =
      balances !== null && balances === recentList?.balances && isPastDelay && isYoungerThan(unchangedTtlMs);
    const isCurrent = page.minSlot === undefined && isYoungerThan(ttlMs);
    if (recentList && (isUnchanged || isCurrent) && hasPage(recentList, page)) return recentList;
    const loadInFlight = page.minSlot === undefined && loadsByKey.get(toLoadKey(address, page));
    if (!loadInFlight) return startLoad(quotaUser, address, page, balances);
    onJoin(loadInFlight.quotaUser, quotaUser);
    return loadInFlight.pendingList;
  };

  return {
    async readPage(quotaUser: QuotaUser, address: string, page: HistoryPageRequest): Promise<HistoryEntry[]> {
      if (page.before === undefined) return slicePage(await readList(quotaUser, address, page), page);
      const finalList = finalLists.get(address);
      return finalList && hasPage(finalList, page)
        ? slicePage(finalList, page)
        : readNodePage(quotaUser, address, page);
    },
    /** Drops recent lists and loads in flight, which may lack a new transaction. Final entries stay. */
    invalidate(addresses: ReadonlySet<string>): void {
      for (const address of addresses) recentLists.delete(address);
      for (const key of [...loadsByKey.keys()])
        if (addresses.has(key.slice(0, key.indexOf(",")))) loadsByKey.delete(key);
    },
  };
}

const createListCache = <T extends SignatureList>() =>
  createLru<T>(MAX_CACHED_ENTRIES, ({ entries }) => entries.length + 1);

const toLoadKey = (address: string, { limit, until = "", minSlot }: HistoryPageRequest) =>
  `${address},${limit},${until},${minSlot ?? ""}`;

/** Creates a list from a node's page. @param untilSignature the signature that ends the page, exclusive */
function createList(entries: HistoryEntry[], isFull: boolean, untilSignature: string | undefined): SignatureList {
  return {
    entries,
    belowSignature: isFull ? null : (untilSignature ?? null),
    isWhole: !isFull && untilSignature === undefined,
  };
}

/** Puts newer entries on top of a list. A node that does not know `until` also returns entries of the list. */
function joinLists(newerEntries: HistoryEntry[], finalList: SignatureList): SignatureList {
  const newestFinalEntry = finalList.entries[0]!;
  const endIndex = newerEntries.findIndex(
    ({ signature, slot }) => signature === newestFinalEntry.signature || slot < newestFinalEntry.slot,
  );
  const entries = [...(endIndex < 0 ? newerEntries : newerEntries.slice(0, endIndex)), ...finalList.entries];
  return entries.length <= MAX_PAGE_SIZE
    ? { ...finalList, entries }
    : { ...finalList, entries: entries.slice(0, MAX_PAGE_SIZE), belowSignature: null, isWhole: false };
}

/** Returns whether a list can answer a page without a gap. */
function hasPage(list: SignatureList, { limit, before, until }: HistoryPageRequest): boolean {
  const { entries } = list;
  const startIndex = before === undefined ? 0 : entries.findIndex(({ signature }) => signature === before) + 1;
  if (before !== undefined && startIndex === 0) return false;
  if (list.isWhole || entries.length - startIndex >= limit) return true;
  return until !== undefined && (until === list.belowSignature || entries.some(({ signature }) => signature === until));
}

function slicePage({ entries }: SignatureList, { limit, before, until }: HistoryPageRequest): HistoryEntry[] {
  const startIndex = before === undefined ? 0 : entries.findIndex(({ signature }) => signature === before) + 1;
  const endIndex = until === undefined ? -1 : entries.findIndex(({ signature }) => signature === until);
  return entries.slice(startIndex, endIndex < 0 ? undefined : endIndex).slice(0, limit);
}
