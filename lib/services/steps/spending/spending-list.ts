import { deriveDollarAccounts } from "../../../domain/dollar-accounts";
import { createThroughMark, NOTHING_SAVED } from "../../../domain/marks";
import { STORE_KEYS } from "../../../domain/store-keys";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry, HistoryPageRequest } from "../../../ports/solana-rpc";
import { describeAllowance } from "../../../solana/token-accounts";
import type { SavedMark } from "../../records/claim-records";
import { findSaved, readStoredStanding } from "../saving/next-saving";
import { type AddressList, createProgress, type SpendingProgress, type UnsavedListing } from "./spending-progress";

/*
 * Lists the unread transactions after a wallet's last saved payment: its own, and those of its dollar accounts, out of
 * which a delegate may have pulled a payment.
 *
 * The oldest unsaved transactions are answered first, so a flood by strangers delays newer payments but loses none. Each
 * answer lists some pages of each history. If they do not reach the end, a cursor is stored and the next answer
 * continues further down. All histories are complete up to `reachedSlot`: the dollar accounts are read at one slot, and
 * those that have changed, or all if the wallet has unread transactions, are listed by nodes that have reached it. If
 * they list a new transaction, the wallet's newest transactions are listed by such a node as well.
 */

/** Number of transactions in one page. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE_SIZE = 1_000;
/** Limits of pages for one answer. The second is that of each dollar account. */
const MAX_PAGES = 8;
const MAX_ACCOUNT_PAGES = 2;

interface SpendingQuery {
  wallet: string;
  /** Start of the listing if nothing is saved, ms since the epoch. */
  sinceMs: number;
  progressKey: string;
  toCursorKey(address: string): string;
}

/** Position in a long history. The next listing starts with the transaction that is just older than `before`. */
type Cursor = { before: string; savedThrough: string | null };

/**
 * Lists a wallet's unread transactions after its last saved payment. Lists none until all of the wallet's marks have
 * been read, because an unread mark could show them as saved.
 */
export async function listUnsavedTransactions(deps: Deps, query: SpendingQuery): Promise<UnsavedListing> {
  const dollarAccounts = deriveDollarAccounts(query.wallet);
  const addresses = [query.wallet, ...dollarAccounts];
  // All start in the same tick, so that a shared store gets one command.
  const signedMark = { wallet: query.wallet, mark: createThroughMark("", NOTHING_SAVED) };
  const [savedLookup, storedProgress, ...cursors] = await Promise.all([
    readStoredStanding(deps, signedMark).then((standing) => findSaved(deps, signedMark, standing)),
    deps.kv.get<SpendingProgress>(query.progressKey),
    ...addresses.map((address) => deps.kv.get<Cursor>(query.toCursorKey(address))),
  ]);
  const { saved, isComplete, callCount } = savedLookup;
  const { value: savedThrough = null, slot: savedSlot = -1 } = saved ?? {};
  const isCurrent = isComplete && storedProgress?.savedThrough === savedThrough;
  const progress = isCurrent ? dropOldPayments(storedProgress, query) : createProgress(savedThrough, savedSlot);
  const cursorByAddress = new Map(
    addresses.flatMap((address, i) =>
      cursors[i]?.savedThrough === savedThrough ? [[address, cursors[i].before]] : [],
    ),
  );
  const run: ListingRun = { deps, query, saved, progress, cursorByAddress, callCount };
  const listing = isComplete ? await listAll(run, dollarAccounts) : { ...NO_LISTS, isComplete };
  const unreadEntries = mergeEntries(listing.lists);
  return { ...listing, unreadEntries, savedThrough, savedSlot, callCount: run.callCount, progress };
}

const NO_LISTS = { lists: [], reachedSlot: -1, closedSlot: -1, accountStates: {} };

/** Deletes the cursor of a history after its entries have been read. The next listing begins with the newest again. */
export async function deleteCursor({ kv }: Deps, query: SpendingQuery, address: string): Promise<void> {
  await kv.delete(query.toCursorKey(address));
}

/** The start of the listing moves if nothing is saved, so payments can fall out of it. */
const dropOldPayments = (progress: SpendingProgress, { sinceMs }: SpendingQuery): SpendingProgress => {
  const isListed = ([, , , blockTime]: SpendingProgress["payments"][number]) =>
    progress.savedThrough !== null || blockTime === null || blockTime * 1000 >= sinceMs;
  return { ...progress, payments: progress.payments.filter(isListed) };
};

interface ListingRun {
  deps: Deps;
  query: SpendingQuery;
  saved: SavedMark | null;
  progress: SpendingProgress;
  cursorByAddress: ReadonlyMap<string, string>;
  callCount: number;
}

/** Lists the wallet's history, then those of the dollar accounts. While nodes lag too far for these, it is incomplete. */
async function listAll(run: ListingRun, dollarAccounts: string[]) {
  const ownList = await listHistory(run, run.query.wallet, MAX_PAGES);
  const ownListing = { ...NO_LISTS, lists: [ownList], isComplete: false };
  if (!ownList.isComplete) return ownListing;
  return addAccountLists(run, ownList, dollarAccounts).catch((error) => {
    const isLag = error instanceof AppError && error.code === "upstream_unavailable";
    if (!isLag || error.details.retryAfterSeconds !== undefined) throw error;
    return ownListing;
  });
}

/** Adds the histories of the dollar accounts to the wallet's own. */
async function addAccountLists(run: ListingRun, ownList: AddressList, dollarAccounts: string[]) {
  const { deps, progress, cursorByAddress } = run;
  const newestOwnSlot = Math.max(progress.readTo, ownList.entries[0]?.slot ?? 0);
  run.callCount++;
  const { slot, accounts } = await deps.rpc.readAccountsAt(dollarAccounts, newestOwnSlot);
  const states = accounts.map((account) => (account ? describeAllowance(account.data) : NO_ACCOUNT));
  const hasUnread = ownList.entries.length > 0;
  const mayHaveNewEntries = (address: string, i: number) => {
    // Only the wallet can restore an allowance that was used, and its own history shows that. An account that does not
    // exist may have been closed after a pull, so it is listed like any other.
    return states[i] !== progress.accounts[address] || cursorByAddress.has(address) || hasUnread;
  };
  const atSlot = { minSlot: slot, mayUseCacheIfUnchanged: false };
  const listAccounts = (listed: string[]) =>
    Promise.all(listed.map((address) => listHistory(run, address, MAX_ACCOUNT_PAGES, atSlot)));
  const changedAccounts = dollarAccounts.filter(mayHaveNewEntries);
  const lists = [ownList, ...(await listAccounts(changedAccounts))];
  const ownCount = ownList.entries.length;
  const hasNewEntries = mergeEntries(lists).length > ownCount;
  const ownSlot = hasNewEntries && (await addNewerEntries(run, ownList, atSlot)) ? slot : Math.min(slot, newestOwnSlot);
  // The newer transactions of the wallet may have restored an allowance.
  if (ownList.entries.length > ownCount)
    lists.push(...(await listAccounts(dollarAccounts.filter((address) => !changedAccounts.includes(address)))));
  // A list without its newest entries may end inside a slot.
  const partSlots = lists.flatMap(({ includesNewest, entries }) =>
    includesNewest ? [] : (entries[0]?.slot ?? progress.readTo),
  );
  return {
    lists,
    isComplete: lists.every((list) => list.isComplete),
    reachedSlot: Math.min(ownSlot, ...partSlots),
    closedSlot: Math.min(ownSlot, ...partSlots.map((partSlot) => partSlot - 1)),
    accountStates: Object.fromEntries(dollarAccounts.map((address, i) => [address, states[i]!])),
  };
}

const NO_ACCOUNT = "";

/** Merges the entries of all lists, newest first. An entry that an earlier list has counts there alone. */
function mergeEntries(lists: AddressList[]): HistoryEntry[] {
  const listedSignatures = new Set<string>();
  const unreadEntries = lists.flatMap((list) => {
    const newEntries = list.entries.filter(({ signature }) => !listedSignatures.has(signature));
    for (const { signature } of list.entries) listedSignatures.add(signature);
    return newEntries;
  });
  return unreadEntries.sort((entry, other) => other.slot - entry.slot);
}

type PageOptions = Pick<HistoryPageRequest, "minSlot" | "mayUseCacheIfUnchanged">;

/** Returns whether an entry and all below it have been read, or lie below the start of the listing. */
const isListEnd = (run: ListingRun, address: string, { signature, slot, blockTime }: HistoryEntry) => {
  const { saved, query, progress } = run;
  const isRead = slot < progress.readTo || signature === progress.upTo[address];
  return isRead || (saved ? slot <= saved.slot : blockTime !== null && blockTime * 1000 < query.sinceMs);
};

/** Lists a history down to what was read before, to the start of the listing or to the page limit. */
async function listHistory(
  run: ListingRun,
  address: string,
  maxPages: number,
  options: PageOptions = {},
): Promise<AddressList> {
  const { deps, query, saved, cursorByAddress } = run;
  const startBelow = cursorByAddress.get(address) ?? null;
  const entries: HistoryEntry[] = [];
  const list = { address, entries, includesNewest: startBelow === null };
  // After a cursor, an empty page must mean that the node does not know the cursor. `until` could empty a page too.
  const until = startBelow === null ? saved?.value : undefined;
  let before = startBelow;
  for (let pageCount = 1; pageCount <= maxPages; pageCount++) {
    const page = await deps.rpc.readSignatures(address, {
      limit: PAGE_SIZE,
      ...(before && { before }),
      ...(until !== undefined && { until }),
      ...options,
    });
    run.callCount++;
    const endIndex = page.findIndex((entry) => isListEnd(run, address, entry));
    const hasNextPage = endIndex < 0 && page.length === PAGE_SIZE;
    // The next page repeats the last entry of this one, so that it is not empty even if the history ends right here.
    entries.push(...page.slice(0, hasNextPage || endIndex >= 0 ? endIndex : undefined));
    // A node that does not know `before` returns an empty page. That is not the end of the history.
    if (!hasNextPage) return { ...list, isComplete: before === null || page.length > 0 };
    before = entries.at(-1)!.signature;
  }
  // The next listing overlaps this one by a page, so that it returns entries even if the history ends right here.
  const cursor: Cursor = { before: entries.at(-PAGE_SIZE)!.signature, savedThrough: saved?.value ?? null };
  // A cursor is written only when it moves, because one that no node knows any more must expire.
  await deps.kv.set(query.toCursorKey(address), cursor, STORE_KEYS.spendingCursor.ttlMs);
  return { ...list, isComplete: false };
}

/**
 * Adds the wallet's entries that are newer than its list.
 * @returns false if there are too many, or if the list does not include its newest entries
 */
async function addNewerEntries(run: ListingRun, ownList: AddressList, options: PageOptions): Promise<boolean> {
  if (!ownList.includesNewest) return false;
  run.callCount++;
  const until = ownList.entries[0]?.signature ?? run.saved?.value;
  const request = { limit: PAGE_SIZE, ...(until !== undefined && { until }), ...options };
  const page = await run.deps.rpc.readSignatures(ownList.address, request);
  const endIndex = page.findIndex((entry) => isListEnd(run, ownList.address, entry) || entry.signature === until);
  if (endIndex < 0 && page.length === PAGE_SIZE) return false;
  ownList.entries.unshift(...(endIndex < 0 ? page : page.slice(0, endIndex)));
  return true;
}
