import type { Mark } from "../../../domain/marks";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { isLaterPayment } from "./payment-slot";

/* The parts of a history that a search for marks has read, and how parts grow and join. */

export type HistoryPosition = Pick<HistoryEntry, "signature" | "slot" | "blockTime">;

/** A valid mark, and the transaction that set it. `slot` is the slot of the payment that it names, or its own. */
export type FoundMark = { value: string; txSignature: string; slot: number };

/** A transaction that carries the reference. `hasFailed` is true if it failed on the chain, and so saved nothing. */
export type ListedMark = FoundMark & { hasFailed: boolean };

/** A part of the history that was read without a gap. */
export type Span = {
  newest: HistoryPosition | null;
  oldest: HistoryPosition | null;
  /** Signature of the transaction just newer than `oldest`; null if the span has only one transaction. */
  beforeOldest: string | null;
  /** Whether no older transaction can matter. */
  isWhole: boolean;
  found: FoundMark | null;
  /** All transactions that carry the reference, newest first. Absent for other marks. */
  listed?: ListedMark[];
};

/** `above` holds newer transactions that do not reach down to `span` yet. */
export type SearchProgress = { span: Span; above: Span | null };

export const EMPTY_SPAN: Span = { newest: null, oldest: null, beforeOldest: null, isWhole: false, found: null };

export function joinSpans(upper: Span, lower: Span): Span {
  return {
    ...lower,
    newest: upper.newest ?? lower.newest,
    beforeOldest: lower.beforeOldest ?? upper.oldest?.signature ?? null,
    found: pickFound(upper.found, lower.found),
    listed: [...(upper.listed ?? []), ...(lower.listed ?? [])],
  };
}

/** Returns the mark with the newest payment. Of other marks, returns the upper one. */
export const pickFound = (upper: FoundMark | null, lower: FoundMark | null) =>
  upper && lower && isLaterPayment(lower, upper) ? lower : (upper ?? lower);

/** Returns whether no mark below the span can replace `found`. A mark lands in the slot of its payment or later. */
export const isBelowFound = (kind: Mark["kind"], { found, oldest }: Pick<Span, "found" | "oldest">) =>
  found !== null && oldest !== null && (kind !== "through" || oldest.slot < found.slot);

/** Drops what serves only to read below a span, if nothing below it can matter. */
export const finishSpan = (kind: Mark["kind"], span: Span): Span =>
  span.isWhole || isBelowFound(kind, span) ? { ...span, oldest: null, beforeOldest: null, isWhole: true } : span;

export function growSpan(span: Span, entries: HistoryEntry[]): Span {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return span;
  return {
    ...span,
    newest: span.newest ?? toHistoryPosition(first),
    oldest: toHistoryPosition(last),
    beforeOldest: entries.at(-2)?.signature ?? span.oldest?.signature ?? null,
  };
}

const toHistoryPosition = ({ signature, slot, blockTime }: HistoryEntry) => ({ signature, slot, blockTime });
