import { wrapsIn } from "../../domain/activity";
import type { Deps, HistoryEntry } from "../../ports";
import { type ClaimRecord, readClaim, replaceClaim, type Saved } from "./claim-records";
import { markedWrap } from "./marked-wrap";

/** Transactions named by one call of the node. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE = 1_000;
/** Calls for signatures at most. */
const MAX_PAGES = 8;
/** Memos that say something is saved and are looked at by one answer: anybody can name the wallet beside one. */
const MAX_CANDIDATES = 6;
/** Those that somebody else wrote are not looked at again. */
const STRANGERS_KEPT_MS = 30 * 86_400_000;
const MARKED = /roundup:1:through:/;

interface Asked {
  wallet: string;
  serviceWallet: string | undefined;
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

/** How far down a listing has come. */
type Cursor = {
  /** The newest transaction that was looked at. */
  top: string | null;
  before: string | null;
  /** What it has met on its way: signatures that marks name. */
  marked: string[];
  isSure: boolean;
};

const FROM_TOP: Cursor = { top: null, before: null, marked: [], isSure: true };
/** As what was read is kept. */
const CURSOR_KEPT_MS = 86_400_000;
const cursorKey = ({ keyOf }: Asked, savedThrough: string | null) => `${keyOf(savedThrough)}:cursor`;

/**
 * The transactions of a wallet after the last one that is saved: by the claim that execute ended, or by a mark on the chain,
 * whichever is newer. A mark that is newer than the store's is written there. While the store knows none, it is not complete
 * before all memos that may be marks are told apart: the newest may be what a forgery hides.
 *
 * Where there are more than one answer can list, which anybody brings about who names the wallet often enough, each goes on
 * further down until it meets what was read, and then answers the oldest: what is newer waits for its turn.
 */
export async function listUnsaved(deps: Deps, asked: Asked): Promise<Unsaved> {
  const { kv } = deps;
  const record = await readClaim(deps, { wallet: asked.wallet, mark: { kind: "through", value: "" } });
  const key = cursorKey(asked, record?.saved?.value ?? null);
  const kept = await kv.get<Cursor>(key);
  const { cursor, calls } = kept ? await lookAbove(deps, asked, kept) : { cursor: null, calls: 0 };
  const { reached, next, ...found } = await walk(deps, asked, record, cursor ?? FROM_TOP);
  found.calls += calls;
  // A node that does not know the cursor answers nothing, which is no end of the history.
  const isLost = cursor !== null && found.entries.length === 0;
  if (!reached) await kv.set(key, next, CURSOR_KEPT_MS);
  else if (cursor && found.isComplete && !isLost) await kv.set(key, cursor, CURSOR_KEPT_MS);
  else if (kept) await kv.delete(key);
  return { ...found, isComplete: found.isComplete && !isLost };
}

/** A cursor holds as long as nothing newer may say that more is saved. */
async function lookAbove(deps: Deps, asked: Asked, kept: Cursor): Promise<{ cursor: Cursor | null; calls: number }> {
  const page = await deps.rpc.signaturesOf(asked.wallet, { limit: PAGE });
  const at = page.findIndex(({ signature }) => signature === kept.top);
  const marks = await readMarks(deps, asked, at < 0 ? page : page.slice(0, at), MAX_CANDIDATES);
  const holds = at >= 0 && marks.isSure && marks.values.length === 0;
  return { cursor: holds ? { ...kept, top: page[0]!.signature } : null, calls: 1 + marks.calls };
}

/** What was listed from a cursor has been read: the next listing begins with the newest. */
export async function forgetCursor({ kv }: Deps, asked: Asked, savedThrough: string | null): Promise<void> {
  await kv.delete(cursorKey(asked, savedThrough));
}

type Walked = Unsaved & { reached: boolean; next: Cursor };

async function walk(deps: Deps, asked: Asked, record: ClaimRecord | null, from: Cursor): Promise<Walked> {
  const { wallet, since } = asked;
  const signed = { wallet, mark: { kind: "through", value: "" } } as const;
  const saved = record?.saved ?? null;
  const marked = new Set([...(saved ? [saved.value] : []), ...from.marked]);
  const entries: HistoryEntry[] = [];
  const found: Unsaved = { entries, savedThrough: saved?.value ?? null, isComplete: false, calls: 0 };
  if (from !== FROM_TOP) found.flood = { readUpTo: null, isNewest: false };
  let [candidates, { isSure, before }] = [MAX_CANDIDATES, from];
  const end = (changes: Partial<Unsaved>): Walked => ({ ...found, ...changes, reached: true, next: FROM_TOP });
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await deps.rpc.signaturesOf(wallet, { limit: PAGE, ...(before && { before }) });
    const marks = await readMarks(deps, asked, page, candidates);
    candidates -= marks.calls;
    found.calls += 1 + marks.calls;
    if (marked.size === 0 && !marks.isSure) isSure = false;
    for (const value of marks.values) marked.add(value);
    for (const entry of page) {
      const { signature, slot, blockTime } = entry;
      if (marked.has(signature)) {
        if (isSure && signature !== saved?.value)
          await replaceClaim(deps, signed, record, { held: null, ...record, saved: own(entry) });
        return end({ savedThrough: signature, isComplete: isSure });
      }
      // A node that is behind does not show the mark yet: what is older than it is saved all the same.
      if (saved && slot < saved.slot) return end({ isComplete: true });
      if (marked.size === 0 && blockTime !== null && blockTime * 1000 < since) return end({ isComplete: isSure });
      entries.push(entry);
    }
    if (page.length < PAGE) return end({ isComplete: isSure });
    before = entries.at(-1)!.signature;
  }
  // Below a mark that the store does not know yet, nothing that was read before counts.
  const isKnown = [...marked].every((value) => value === saved?.value);
  const read = isKnown ? await deps.kv.get<{ upTo: string | null }>(asked.keyOf(found.savedThrough)) : null;
  const readUpTo = read?.upTo ?? null;
  const at = entries.findIndex(({ signature }) => signature === readUpTo);
  const flood = { readUpTo, isNewest: from === FROM_TOP };
  if (at >= 0) return end({ isComplete: isSure, entries: entries.slice(0, at), flood });
  const passed = [...marked].filter((value) => value !== saved?.value);
  // The next listing begins a page above the end of this one: it has something to answer, wherever it ends.
  const next = { top: from.top ?? entries[0]!.signature, before: entries.at(-PAGE)!.signature, marked: passed, isSure };
  return { ...found, reached: false, next };
}

const own = ({ signature, slot }: HistoryEntry): Saved => ({ value: signature, slot, message: "" });

const strangersKey = (wallet: string, signature: string) => `no-mark:${wallet}:${signature}`;

interface Marks {
  /** What the wallet's own marks say, newest first. */
  values: string[];
  /** Whether none can be newer than the first of them, or than where it all begins. */
  isSure: boolean;
  calls: number;
}

/** @param most calls of the node */
async function readMarks(deps: Deps, asked: Asked, page: HistoryEntry[], most: number): Promise<Marks> {
  const { kv, rpc, feeCollectors } = deps;
  const { wallet, serviceWallet, since } = asked;
  const memos = page.filter(({ memo, error }) => error === null && memo && MARKED.test(memo));
  const strangers = await kv.getMany<true>(memos.map(({ signature }) => strangersKey(wallet, signature)));
  const marks: Marks = { values: [], isSure: true, calls: 0 };
  for (const { signature, blockTime } of memos.filter((_, i) => strangers[i] === null)) {
    const counts = marks.values.length === 0 && (blockTime === null || blockTime * 1000 >= since);
    if (marks.calls === most) return { ...marks, isSure: marks.isSure && !counts };
    marks.calls++;
    const figures = await rpc.transaction(signature);
    const [signed, ...more] = figures?.marks ?? [];
    if (figures && (signed?.wallet !== wallet || signed.mark.kind !== "through" || more.length > 0)) {
      await kv.set(strangersKey(wallet, signature), true, STRANGERS_KEPT_MS);
      continue;
    }
    const marked = figures && (await markedWrap(deps, figures, serviceWallet));
    if (marked) marks.values.push(marked.mark.value);
    // A wrap of its own into a wallet unknown here may well be its saving: who knows that wallet names it.
    else if (counts && (!figures || wrapsIn(figures.movements, feeCollectors).some(({ from }) => from === wallet)))
      marks.isSure = false;
  }
  return marks;
}
