import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import type { SavedMark } from "../relay/claim-records";
import { lookUpSaved } from "../saving/chain-marks";

/** Transactions named by one call of the node. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE = 1_000;
/** Calls for signatures at most. */
const MAX_PAGES = 8;

interface SpendingQuery {
  wallet: string;
  /** Ms since the epoch, where it begins when nothing is saved. */
  since: number;
  /** Where it is kept how far the transactions after this one are read. */
  keyOf(savedThrough: string | null): string;
}

export interface Unsaved {
  /** Newest first. */
  entries: HistoryEntry[];
  /** The last transaction that is saved; null: none, it begins with a moment. */
  savedThrough: string | null;
  /** Whether the entries go back to where it begins. */
  isComplete: boolean;
  /** Calls of the node that it took. */
  calls: number;
  /** Of more than can be listed, the entries are some that were not read: what was read before them, and whether none is newer. */
  flood?: { readUpTo: string | null; isNewest: boolean };
}

/** How far down a listing has come: the next page starts after (older than) this transaction. */
type Cursor = { before: string };

/** As what was read is kept. */
const CURSOR_KEPT_MS = 86_400_000;
const cursorKey = ({ keyOf }: SpendingQuery, savedThrough: string | null) => `${keyOf(savedThrough)}:cursor`;

/**
 * Lists the transactions of a wallet after the last one that is saved. While the wallet's marks have not all been read,
 * it lists none.
 *
 * Anybody can make a wallet's history longer than one answer can list, by naming the wallet often enough. Then each answer
 * goes on further down until it meets what was read, and answers the oldest: what is newer waits for its turn.
 */
export async function listUnsaved(deps: Deps, asked: SpendingQuery): Promise<Unsaved> {
  const { saved, isComplete, calls } = await lookUpSaved(deps, asked.wallet, asked.since);
  if (!isComplete) return { entries: [], savedThrough: saved?.value ?? null, isComplete, calls };
  const key = cursorKey(asked, saved?.value ?? null);
  const cursor = await deps.kv.get<Cursor>(key);
  const { next, ...found } = await walk(deps, asked, saved, cursor?.before ?? null);
  const kept = next ? { before: next } : cursor;
  if (kept) await deps.kv.set(key, kept, CURSOR_KEPT_MS);
  return { ...found, calls: calls + found.calls };
}

/** What was listed from a cursor has been read: the next listing begins with the newest. */
export async function forgetCursor({ kv }: Deps, asked: SpendingQuery, savedThrough: string | null): Promise<void> {
  await kv.delete(cursorKey(asked, savedThrough));
}

/** `next`: where the next listing begins, while this one has not come to its end. */
type HistoryWalk = Unsaved & { next: string | null };

async function walk(
  deps: Deps,
  asked: SpendingQuery,
  saved: SavedMark | null,
  from: string | null,
): Promise<HistoryWalk> {
  const entries: HistoryEntry[] = [];
  const found: HistoryWalk = { entries, savedThrough: saved?.value ?? null, isComplete: false, calls: 0, next: null };
  if (from !== null) found.flood = { readUpTo: null, isNewest: false };
  const isEnd = ({ signature, slot, blockTime }: HistoryEntry) =>
    saved ? signature === saved.value || slot < saved.slot : blockTime !== null && blockTime * 1000 < asked.since;
  for (let before = from; found.calls < MAX_PAGES; before = entries.at(-1)!.signature) {
    const page = await deps.rpc.signaturesOf(asked.wallet, { limit: PAGE, ...(before && { before }) });
    found.calls++;
    const end = page.findIndex(isEnd);
    entries.push(...(end < 0 ? page : page.slice(0, end)));
    // A node that does not know the cursor answers nothing, which is no end of the history.
    const isLost = from !== null && found.calls === 1 && page.length === 0;
    if (end >= 0 || page.length < PAGE) return { ...found, isComplete: !isLost };
  }
  const read = await deps.kv.get<{ upTo: string | null }>(asked.keyOf(found.savedThrough));
  const readUpTo = read?.upTo ?? null;
  const at = entries.findIndex(({ signature }) => signature === readUpTo);
  const flood = { readUpTo, isNewest: from === null };
  if (at >= 0) return { ...found, isComplete: true, entries: entries.slice(0, at), flood };
  // The next listing begins a page above the end of this one: it has something to answer, wherever it ends.
  return { ...found, next: entries.at(-PAGE)!.signature };
}
