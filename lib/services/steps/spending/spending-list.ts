import { createThroughMark, NOTHING_SAVED } from "../../../domain/marks";
import type { BatchPayment } from "../../../domain/spending/batches";
import type { LeftOutReason } from "../../../domain/spending/spending";
import { STORE_KEYS } from "../../../domain/store-keys";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import type { SavedMark } from "../../records/claim-records";
import { findSaved, readStoredStanding } from "../saving/next-saving";

/*
 * Lists the transactions after a wallet's last saved payment.
 *
 * The problem: strangers can lengthen a wallet's history by naming the wallet in transactions. One answer cannot list
 * it all.
 * The invariant: the oldest unsaved transactions are answered first, so a flood delays newer payments but loses none.
 * How it is kept: each answer lists up to 8 pages. If it does not reach the end, a cursor is stored and the next answer
 * continues further down. Once it reaches what was read before, it returns the oldest unread entries.
 * Example: 12,000 transactions follow the last saved payment. The first answer lists 8,000 and none of them count yet.
 * The second answer continues from the cursor, reaches the last saved payment and returns the oldest entries.
 */

/** Number of transactions in one page. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE_SIZE = 1_000;
/** Limit of pages for one answer. */
const MAX_PAGES = 8;

interface SpendingQuery {
  wallet: string;
  /** Start of the listing if nothing is saved, ms since the epoch. */
  sinceMs: number;
  /** Store keys of the reading progress, and of the position in a long history. */
  progressKey: string;
  cursorKey: string;
}

/** The stored progress of reading. It is valid only while `savedThrough` is the wallet's last saved payment. */
export type SpendingProgress = {
  savedThrough: string | null;
  /** Signature of the newest transaction read so far; null if none. */
  upTo: string | null;
  payments: BatchPayment[];
  leftOut: Partial<Record<LeftOutReason, number>>;
};

export interface UnsavedListing {
  /** Newest first. */
  entries: HistoryEntry[];
  /** The last saved payment. Null if none is saved; the listing then begins at `sinceMs`. */
  savedThrough: string | null;
  /** The slot of the last saved payment; -1 if none is saved. */
  savedSlot: number;
  /** Whether the entries reach back to the start of the listing, or to what was read before. */
  isComplete: boolean;
  /** Number of node calls made. */
  callCount: number;
  /**
   * Set if the history is too long to list. The entries are then only a part of the unread transactions. They directly
   * follow `readUpTo`, the last transaction read before them, or begin at the start of the listing if it is null.
   * `includesNewest` tells whether they include the newest transaction.
   */
  longHistory?: { readUpTo: string | null; includesNewest: boolean };
  /** The stored progress since `savedThrough`; null if there is none. */
  progress: SpendingProgress | null;
}

/** Position in a long history. The next listing starts with the transaction that is just older than `before`. */
type Cursor = { before: string; savedThrough: string | null };

/**
 * Lists a wallet's transactions after its last saved payment. Lists none until all of the wallet's marks have been
 * read, because an unread mark could show them as saved.
 * @throws AppError upstream_*
 */
export async function listUnsavedTransactions(deps: Deps, query: SpendingQuery): Promise<UnsavedListing> {
  // All three start in the same tick, so that a shared store gets one command.
  const signedMark = { wallet: query.wallet, mark: createThroughMark("", NOTHING_SAVED) };
  const [savedLookup, storedProgress, storedCursor] = await Promise.all([
    readStoredStanding(deps, signedMark).then((standing) => findSaved(deps, signedMark, standing)),
    deps.kv.get<SpendingProgress>(query.progressKey),
    deps.kv.get<Cursor>(query.cursorKey),
  ]);
  const { saved, isComplete, callCount } = savedLookup;
  const { value: savedThrough = null, slot: savedSlot = -1 } = saved ?? {};
  const progress = storedProgress?.savedThrough === savedThrough ? storedProgress : null;
  if (!isComplete) return { entries: [], savedThrough, savedSlot, isComplete, callCount, progress };
  const cursor = storedCursor?.savedThrough === savedThrough ? storedCursor : null;
  const { nextBefore, ...listing } = await listHistory(deps, query, saved, progress, cursor?.before ?? null);
  // Without `nextBefore` the cursor is not written again, because a cursor that no node knows any more must expire.
  if (nextBefore)
    await deps.kv.set(query.cursorKey, { before: nextBefore, savedThrough }, STORE_KEYS.spendingCursor.ttlMs);
  return { ...listing, callCount: callCount + listing.callCount };
}

/** Deletes the cursor after its entries have been read. The next listing begins with the newest transaction again. */
export async function deleteCursor({ kv }: Deps, query: SpendingQuery): Promise<void> {
  await kv.delete(query.cursorKey);
}

/** `nextBefore` is the cursor of the next listing, or null if this one has reached its end. */
type HistoryListing = UnsavedListing & { nextBefore: string | null };

/** Lists the history down to the last saved payment or the page limit. @param startBelow null for the newest entry */
async function listHistory(
  deps: Deps,
  query: SpendingQuery,
  saved: SavedMark | null,
  progress: SpendingProgress | null,
  startBelow: string | null,
): Promise<HistoryListing> {
  const entries: HistoryEntry[] = [];
  const listing: HistoryListing = {
    entries,
    savedThrough: saved?.value ?? null,
    savedSlot: saved?.slot ?? -1,
    isComplete: false,
    callCount: 0,
    nextBefore: null,
    progress,
  };
  // After a cursor, an empty page must mean that the node does not know the cursor. `until` could empty a page too.
  const until = startBelow === null ? saved?.value : undefined;
  if (startBelow !== null) listing.longHistory = { readUpTo: null, includesNewest: false };
  const isEnd = ({ slot, blockTime }: HistoryEntry) =>
    saved ? slot <= saved.slot : blockTime !== null && blockTime * 1000 < query.sinceMs;
  for (let before = startBelow; listing.callCount < MAX_PAGES; before = entries.at(-1)!.signature) {
    const page = await deps.rpc.readSignatures(query.wallet, {
      limit: PAGE_SIZE,
      ...(before && { before }),
      ...(until !== undefined && { until }),
    });
    listing.callCount++;
    const endIndex = page.findIndex(isEnd);
    entries.push(...(endIndex < 0 ? page : page.slice(0, endIndex)));
    // A node that does not know the cursor returns an empty page. That is not the end of the history.
    const isCursorUnknown = startBelow !== null && listing.callCount === 1 && page.length === 0;
    if (endIndex >= 0 || page.length < PAGE_SIZE) return { ...listing, isComplete: !isCursorUnknown };
  }
  const readUpTo = progress?.upTo ?? null;
  const readIndex = entries.findIndex(({ signature }) => signature === readUpTo);
  const longHistory = { readUpTo, includesNewest: startBelow === null };
  if (readIndex >= 0) return { ...listing, isComplete: true, entries: entries.slice(0, readIndex), longHistory };
  // The next listing overlaps this one by a page, so that it returns entries even if the history ends right here.
  return { ...listing, nextBefore: entries.at(-PAGE_SIZE)!.signature };
}
