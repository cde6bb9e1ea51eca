import { type Mark, markText } from "../../../domain/marks";
import { marksSetBy } from "../../../domain/spending/spending";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { inParallel } from "../in-parallel";

/**
 * Looks for a wallet's marks in its history on the chain, newest first. One call reads a bounded number of pages and
 * memos. The store keeps which part of the history has been read, so the next call goes on from there.
 */

/** Transactions in one page. Source: MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const PAGE = 1_000;
const MAX_PAGES = 8;
/** Transactions with a memo that looks like a mark. Anybody can write such a memo and name the wallet beside it. */
const MAX_READS = 24;
const PARALLEL_READS = 6;
/** Progress that expires makes the next look read more, never less. */
const KEPT_MS = 30 * 86_400_000;

export interface Wanted {
  wallet: string;
  /** Of `through`, any value is looked for; of `topup`, this period. */
  mark: Mark;
}

export type Place = { signature: string; slot: number; blockTime: number | null };

/** A mark that counts, and the transaction that set it. */
export type FoundMark = { value: string; txSignature: string; slot: number };

/** A part of the history that was read without a gap; it ends at the first mark found. */
type Span = {
  newest: Place | null;
  oldest: Place | null;
  /** Signature of the transaction before (newer than) `oldest`; null when there is none in the span. */
  beforeOldest: string | null;
  /** Whether nothing is left below it. */
  isWhole: boolean;
  found: FoundMark | null;
};

/** `above` is a span that has not met `span` yet: transactions that came since. */
type Progress = { span: Span; above: Span | null };

const NOTHING: Span = { newest: null, oldest: null, beforeOldest: null, isWhole: false, found: null };

export interface MarkLook {
  /** Whether everything that matters has been read. False: nothing is known yet, not even with `found` null. */
  isComplete: boolean;
  /** The newest mark. */
  found: FoundMark | null;
  /** Calls of the node. */
  calls: number;
}

interface Reading {
  deps: Deps;
  wanted: Wanted;
  minSlot: number;
  /** Calls that are left. */
  pages: number;
  reads: number;
}

const progressKey = ({ wallet, mark: { kind, value } }: Wanted) =>
  `mark-look:${kind}:${wallet}${kind === "through" ? "" : `:${value}`}`;
/** Set when a transaction's memo looks like a mark of the wallet and is none. */
const foreignKey = (wallet: string, signature: string) => `foreign-mark:${wallet}:${signature}`;

/**
 * Looks for the newest mark.
 * @param isTooOld whether no mark at this place, or below it, can matter
 * @param minSlot the node's view must be at least as new as this
 * @throws AppError upstream_* when a node fails or is behind
 */
export async function lookForMark(
  deps: Deps,
  wanted: Wanted,
  isTooOld: (place: Place) => boolean,
  minSlot: number,
): Promise<MarkLook> {
  const kept = await deps.kv.get<Progress>(progressKey(wanted));
  // A history that was empty is read from its beginning.
  const progress = kept?.span.newest ? kept : { span: NOTHING, above: null };
  const seenSlot = Math.max(minSlot, progress.span.newest?.slot ?? 0, progress.above?.newest?.slot ?? 0);
  const reading: Reading = { deps, wanted, minSlot: seenSlot, pages: MAX_PAGES, reads: MAX_READS };
  const isComplete = await readOn(reading, progress, isTooOld);
  const calls = MAX_PAGES - reading.pages + MAX_READS - reading.reads;
  return { isComplete, found: isComplete ? progress.span.found : null, calls };
}

/** Advances `progress` and keeps it. @returns whether the span reaches from the newest transaction down to `isTooOld` */
async function readOn(reading: Reading, progress: Progress, isTooOld: (place: Place) => boolean): Promise<boolean> {
  const keep = () => reading.deps.kv.set(progressKey(reading.wanted), progress, KEPT_MS);
  for (let isFromTop = false; !isFromTop && progress.span.newest; ) {
    const { newest } = progress.span;
    // Without a transaction before its oldest one, a span cannot be continued; it holds one transaction only.
    const begun = progress.above?.beforeOldest ? progress.above : null;
    const above = await extend(
      reading,
      begun ?? NOTHING,
      ({ slot }) => slot < newest.slot,
      newest.signature,
      (span) => {
        progress.above = span;
        return keep();
      },
    );
    if (!above.isDone) return false;
    isFromTop = begun === null;
    const isNew = above.span.newest !== null;
    progress.span = join(above.span, progress.span);
    progress.above = null;
    if (isNew) await keep();
  }
  const { isDone, span } = await extend(reading, progress.span, isTooOld, undefined, (next) => {
    progress.span = next;
    return keep();
  });
  progress.span = span;
  return isDone;
}

function join(upper: Span, lower: Span): Span {
  if (upper.found || lower.newest === null) return upper;
  return {
    ...lower,
    newest: upper.newest ?? lower.newest,
    beforeOldest: lower.beforeOldest ?? upper.oldest?.signature ?? null,
  };
}

/** Reads pages below a span until it holds a mark, is whole or reaches `isEnd`, or until no calls are left. */
async function extend(
  reading: Reading,
  from: Span,
  isEnd: (place: Place) => boolean,
  until: string | undefined,
  keep: (span: Span) => Promise<void>,
): Promise<{ span: Span; isDone: boolean }> {
  let span = from;
  for (;;) {
    if (span.found || span.isWhole || (span.oldest && isEnd(span.oldest))) return { span, isDone: true };
    if (reading.pages === 0) return { span, isDone: false };
    const { entries, isLast } = await listBelow(reading, span, until);
    const { count, found } = await findMark(reading, entries);
    const isPassed = found !== null || count === entries.length;
    span = { ...grow(span, entries.slice(0, count)), found, isWhole: isLast && isPassed && found === null };
    if (count > 0 || span.isWhole) await keep(span);
    if (!isPassed) return { span, isDone: false };
  }
}

function grow(span: Span, entries: HistoryEntry[]): Span {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return span;
  return {
    ...span,
    newest: span.newest ?? placeOf(first),
    oldest: placeOf(last),
    beforeOldest: entries.at(-2)?.signature ?? span.oldest?.signature ?? null,
  };
}

const placeOf = ({ signature, slot, blockTime }: HistoryEntry): Place => ({ signature, slot, blockTime });

/** Lists what is below a span. The span's oldest transaction is listed again: a node that lacks it would answer an empty page. */
async function listBelow(reading: Reading, { oldest, beforeOldest }: Span, until: string | undefined) {
  const { deps, wanted, minSlot } = reading;
  reading.pages--;
  const page = await deps.rpc.signaturesOf(wanted.wallet, {
    limit: PAGE,
    minSlot,
    ...(beforeOldest && { before: beforeOldest }),
    ...(until && { until }),
  });
  if (oldest && page[0]?.signature !== oldest.signature)
    throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "lacks history that was read") });
  return { entries: oldest ? page.slice(1) : page, isLast: page.length < PAGE };
}

/** Finds the newest mark of some transactions. @returns how many of them are certain, the mark's own included */
async function findMark(
  reading: Reading,
  entries: HistoryEntry[],
): Promise<{ count: number; found: FoundMark | null }> {
  const { deps, wanted } = reading;
  const text = wanted.mark.kind === "through" ? "roundup:1:through:" : markText(wanted.mark);
  const memos = entries.flatMap(({ error, memo }, i) => (error === null && memo?.includes(text) ? [i] : []));
  if (memos.length === 0) return { count: entries.length, found: null };
  const keyOf = (i: number) => foreignKey(wanted.wallet, entries[i]!.signature);
  const foreign = await deps.kv.getMany<true>(memos.map(keyOf));
  const unknown = memos.filter((_, i) => foreign[i] === null);
  for (let at = 0; at < unknown.length; at += PARALLEL_READS) {
    const part = unknown.slice(at, Math.min(at + PARALLEL_READS, at + reading.reads));
    reading.reads -= part.length;
    const figures = await inParallel(PARALLEL_READS, part, (i) => deps.rpc.transaction(entries[i]!.signature));
    for (const [j, i] of part.entries()) {
      const one = figures[j];
      // The node lists it and does not have it yet.
      if (!one) return { count: i, found: null };
      const mark = marksSetBy(wanted.wallet, one, deps.feeCollectors).find((set) => isWanted(wanted, set));
      const { signature, slot } = entries[i]!;
      if (mark) return { count: i + 1, found: { value: mark.value, txSignature: signature, slot } };
      await deps.kv.set(keyOf(i), true, KEPT_MS);
    }
    const next = unknown[at + part.length];
    if (part.length < PARALLEL_READS && next !== undefined) return { count: next, found: null };
  }
  return { count: entries.length, found: null };
}

const isWanted = ({ mark }: Wanted, set: Mark) =>
  set.kind === mark.kind && (mark.kind === "through" || set.value === mark.value);
