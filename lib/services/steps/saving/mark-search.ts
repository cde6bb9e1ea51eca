import { formatMark, type Mark, type SignedMark, THROUGH_MEMO_START } from "../../../domain/marks";
import { listMarksSetBy } from "../../../domain/spending/spending";
import { STORE_KEYS } from "../../../domain/store-keys";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { readCaughtUpStates } from "../relay/outcomes";
import {
  EMPTY_SPAN,
  type FoundMark,
  finishSpan,
  growSpan,
  type HistoryPosition,
  isBelowFound,
  joinSpans,
  type ListedMark,
  pickFound,
  type SearchProgress,
  type Span,
} from "./mark-span";

/*
 * Searches a wallet's history on the chain for its marks, newest first. A reference has a key of its own, so its key's
 * history is searched instead. Such a search lists every transaction with that reference.
 *
 * Anybody can lengthen a history by naming the wallet or the key. The result is complete only if every transaction from
 * the newest down to the end of the search was read. A search for saved payments ends below the newest payment that a
 * mark names: a mark lands after its payment. One call reads a bounded number of pages and memos. The store keeps the
 * part that was read without a gap (`span`), and the next call continues below it. Newer transactions form a second
 * part (`above`), which is joined to the first once they meet.
 */

/** The number of transactions in one page. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE_SIZE = 1_000;
const MAX_PAGES = 8;
/** Limit of transactions whose memo looks like a mark. Anybody can write one and name the wallet beside it. */
const MAX_MEMO_READS = 24;
const MAX_PARALLEL_READS = 6;

export interface MarkSearch {
  /** If false, `found: null` does not mean that there is no mark. */
  isComplete: boolean;
  /** The mark with the newest payment, or the newest mark of another kind. */
  found: FoundMark | null;
  /** All transactions read so far that carry the reference, newest first. Absent for other marks. */
  listedMarks?: ListedMark[];
  callCount: number;
}

/** One call of the search and its remaining limits. */
interface SearchRun {
  deps: Deps;
  query: SignedMark;
  minSlot: number;
  pagesLeft: number;
  memoReadsLeft: number;
  callCount: number;
}

const toProgressKey = ({ wallet, mark }: SignedMark) =>
  mark.kind === "through"
    ? STORE_KEYS.markSearch.toKey(wallet)
    : STORE_KEYS.markSearchOnce.toKey(mark.kind, wallet, mark.kind === "ref" && mark.key ? mark.key : mark.value);
const toSearchedAddress = ({ wallet, mark }: SignedMark) => (mark.kind === "ref" && mark.key ? mark.key : wallet);

export const readSearchProgress = ({ kv }: Deps, query: SignedMark) => kv.get<SearchProgress>(toProgressKey(query));

/**
 * Searches for the marks that match `query`. A `through` query matches every `through` mark.
 * @param storedProgress the result of readSearchProgress
 * @param isTooOld returns true if marks at this position or older cannot matter
 * @param minSlot oldest slot that the node's view may have
 * @throws AppError upstream_* when a node fails or lags, or when the store fails
 */
export async function searchForMark(
  deps: Deps,
  query: SignedMark,
  storedProgress: SearchProgress | null,
  isTooOld: (position: HistoryPosition) => boolean,
  minSlot: number,
): Promise<MarkSearch> {
  const progress = storedProgress?.span.newest ? storedProgress : { span: EMPTY_SPAN, above: null };
  const newestSlot = Math.max(minSlot, progress.span.newest?.slot ?? 0, progress.above?.newest?.slot ?? 0);
  const limits = { pagesLeft: MAX_PAGES, memoReadsLeft: MAX_MEMO_READS };
  const run: SearchRun = { deps, query, minSlot: newestSlot, ...limits, callCount: 0 };
  const isComplete = await continueSearch(run, progress, isTooOld);
  const figures = { isComplete, callCount: run.callCount };
  if (query.mark.kind !== "ref") return { ...figures, found: isComplete ? progress.span.found : null };
  const listedMarks = [...(progress.above?.listed ?? []), ...(progress.span.listed ?? [])];
  const landedMark = listedMarks.find(({ hasFailed }) => !hasFailed) ?? null;
  return { ...figures, found: isComplete ? landedMark : null, listedMarks };
}

/**
 * Reads more of the history, and advances and stores `progress`.
 * @returns whether the span reaches from the newest transaction down to `isTooOld`, or to the newest mark
 */
async function continueSearch(
  run: SearchRun,
  progress: SearchProgress,
  isTooOld: (position: HistoryPosition) => boolean,
): Promise<boolean> {
  const ttlMs = STORE_KEYS[run.query.mark.kind === "through" ? "markSearch" : "markSearchOnce"].ttlMs;
  const storeProgress = () => {
    progress.span = finishSpan(run.query.mark.kind, progress.span);
    return run.deps.kv.set(toProgressKey(run.query), progress, ttlMs);
  };
  // A stored `above` is finished first. Newer transactions may have landed since, so another round reads those.
  for (let hasReadNewest = false; !hasReadNewest && progress.span.newest; ) {
    const { newest } = progress.span;
    // listBelow needs the transaction above the oldest one.
    const startedSpan = progress.above?.beforeOldest ? progress.above : null;
    const above = await extendSpan(
      run,
      startedSpan ?? EMPTY_SPAN,
      ({ slot }) => slot < newest.slot,
      newest.signature,
      (span) => {
        progress.above = span;
        return storeProgress();
      },
    );
    if (!above.isDone) return false;
    hasReadNewest = startedSpan === null;
    const hasEntries = above.span.newest !== null;
    progress.span = joinSpans(above.span, progress.span);
    progress.above = null;
    if (hasEntries) await storeProgress();
  }
  const { isDone, span } = await extendSpan(run, progress.span, isTooOld, undefined, (extendedSpan) => {
    progress.span = extendedSpan;
    return storeProgress();
  });
  progress.span = span;
  return isDone;
}

/**
 * Reads pages below a span until it holds the newest mark, is whole or reaches `isEnd`. Stores the span after each page.
 * @returns `isDone`: false if the limits of this call ended the reading before that
 */
async function extendSpan(
  run: SearchRun,
  startSpan: Span,
  isEnd: (position: HistoryPosition) => boolean,
  untilSignature: string | undefined,
  storeSpan: (span: Span) => Promise<void>,
): Promise<{ span: Span; isDone: boolean }> {
  let span = startSpan;
  for (;;) {
    if (span.isWhole || isBelowFound(run.query.mark.kind, span) || (span.oldest && isEnd(span.oldest)))
      return { span, isDone: true };
    if (run.pagesLeft === 0) return { span, isDone: false };
    const { entries, isLast } = await listBelow(run, span, untilSignature);
    const { checkedCount, found, listed } = await findMarks(run, entries, span.found);
    const hasCheckedAll = checkedCount === entries.length;
    span = { ...growSpan(span, entries.slice(0, checkedCount)), found, isWhole: isLast && hasCheckedAll };
    span.listed = [...(span.listed ?? []), ...listed];
    if (span.newest) await storeSpan(span);
    if (!hasCheckedAll && !isBelowFound(run.query.mark.kind, span)) return { span, isDone: false };
  }
}

/**
 * Lists the transactions below a span. The span's oldest transaction is listed again as a check: a node that lacks it
 * would return an empty page, which would look like the end of the history. @throws AppError upstream_unavailable then
 */
async function listBelow(run: SearchRun, { oldest, beforeOldest }: Span, untilSignature: string | undefined) {
  const { deps, query, minSlot } = run;
  run.pagesLeft--;
  run.callCount++;
  const page = await deps.rpc.readSignatures(toSearchedAddress(query), {
    limit: PAGE_SIZE,
    minSlot,
    ...(beforeOldest && { before: beforeOldest }),
    ...(untilSignature && { until: untilSignature }),
  });
  if (oldest && page[0]?.signature !== oldest.signature) {
    // The nodes may have pruned it. The search starts over, because it could never go on below it.
    await deps.kv.delete(toProgressKey(query));
    throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "lacks history that was read") });
  }
  return { entries: oldest ? page.slice(1) : page, isLast: page.length < PAGE_SIZE };
}

/**
 * Finds the marks among `entries`. For a reference, lists all transactions that carry it instead.
 * @param foundAbove what was found above these entries
 * @returns `checkedCount`: the number of entries checked, from the newest on; `found`: the result with `foundAbove`
 */
async function findMarks(
  run: SearchRun,
  entries: HistoryEntry[],
  foundAbove: FoundMark | null,
): Promise<{ checkedCount: number; found: FoundMark | null; listed: ListedMark[] }> {
  const { deps, query } = run;
  const isListing = query.mark.kind === "ref";
  const listed: ListedMark[] = [];
  let found = foundAbove;
  const memoText = query.mark.kind === "through" ? THROUGH_MEMO_START : formatMark(query.mark);
  const memoIndexes = entries.flatMap(({ error, memo }, i) =>
    (isListing || error === null) && memo?.includes(memoText) ? [i] : [],
  );
  for (let start = 0; start < memoIndexes.length; start += MAX_PARALLEL_READS) {
    const chunk = memoIndexes.slice(start, start + Math.min(MAX_PARALLEL_READS, run.memoReadsLeft));
    run.memoReadsLeft -= chunk.length;
    run.callCount += chunk.length;
    const transactions = await Promise.all(chunk.map((index) => deps.rpc.readTransaction(entries[index]!.signature)));
    const matchingMarks = transactions.map((transaction) =>
      !transaction || transaction === "unsupported"
        ? []
        : listMarksSetBy(query.wallet, transaction, deps.feeCollectors).filter((mark) => matchesQuery(query, mark)),
    );
    const slots = await readPaymentSlots(run, entries, matchingMarks.flat());
    for (const [i, entryIndex] of chunk.entries()) {
      const entry = entries[entryIndex]!;
      // The rest of the page is too old.
      if (isBelowFound(query.mark.kind, { found, oldest: entry }))
        return { checkedCount: entries.length, found, listed };
      const transaction = transactions[i];
      // The node lists the transaction but cannot return it yet, so the search must stop above it.
      if (!transaction) return { checkedCount: entryIndex, found, listed };
      for (const { value } of matchingMarks[i]!) {
        // A payment that no node knows any more lies in the slot of its mark at the latest.
        const mark = {
          value,
          txSignature: entry.signature,
          slot: Math.min(slots.get(value) ?? entry.slot, entry.slot),
        };
        if (!isListing) found = pickFound(found, mark);
        // A failed transaction proves nothing unless the wallet has signed it: the memo program may not have checked.
        else if (transaction !== "unsupported" && (entry.error === null || transaction.signers.includes(query.wallet)))
          listed.push({ ...mark, hasFailed: entry.error !== null });
      }
    }
    const nextIndex = memoIndexes[start + chunk.length];
    if (chunk.length < MAX_PARALLEL_READS && nextIndex !== undefined) return { checkedCount: nextIndex, found, listed };
  }
  return { checkedCount: entries.length, found, listed };
}

/** Returns the slots of the payments that these marks name, from a node that has seen the newest of `entries`. */
async function readPaymentSlots(run: SearchRun, entries: HistoryEntry[], marks: Mark[]): Promise<Map<string, number>> {
  const payments = marks.flatMap(({ kind, value }) => (kind === "through" ? value : []));
  if (payments.length === 0) return new Map();
  run.callCount++;
  const states = await readCaughtUpStates(run.deps, payments, Math.max(run.minSlot, entries[0]!.slot));
  return new Map(payments.flatMap((payment, i) => (states[i] ? [[payment, states[i].slot]] : [])));
}

const matchesQuery = ({ mark: queriedMark }: SignedMark, mark: Mark) =>
  mark.kind === queriedMark.kind && (mark.kind === "through" || mark.value === queriedMark.value);
