import { ASSETS, type AssetSymbol, isDollarMint } from "../assets";

/**
 * Decides whether a price just read is reliable enough to build transactions. Pure functions. Money is US dollars and
 * times are ms since the epoch.
 */

/** Why a price may be displayed but not used to build transactions. */
export type PriceDoubt =
  /** The second source disagrees, or its price is too old or too uncertain. */
  | "disputed"
  /** Too far from the last good price and not confirmed yet. */
  | "jumped"
  /** No second source or earlier price was available to compare with. */
  | "unchecked";

export interface ReferencePrice {
  usd: number;
  /** Half-width of the publishers' confidence interval, US dollars. */
  confidenceUsd: number;
  publishedAt: number;
}

/** The second source's answer for one asset. */
export type ReferenceAnswer =
  /** No second source is configured. */
  | { kind: "none" }
  | { kind: "answered"; price: ReferencePrice }
  /** The source gave no price. `lastPublishedAt` is the time of its last price. Null when none was ever received. */
  | { kind: "silent"; lastPublishedAt: number | null };

/** State of one asset that is carried from one price read to the next. `at` and `since` are times. */
export type PriceMemory = {
  /** The last price good enough to build with. Null before the first. */
  good: { usd: number; at: number } | null;
  /** A jumped price that awaits confirmation: the first of the agreeing reads, and their number. */
  waiting: { usd: number; since: number; reads: number } | null;
  /** Time when the second source stopped answering. Null while it answers. */
  silentSince: number | null;
};

export const NO_MEMORY: PriceMemory = { good: null, waiting: null, silentSince: null };

/** A price that differs from the last good one by more than this share must be confirmed. */
const MAX_JUMP = 0.2;
/** Number of agreeing reads that confirm a jump when no second source can. */
const CONFIRMING_READS = 3;
/** Minimum time between the first and last of those reads, ms. It outlasts a glitch of the source. */
const MIN_CONFIRMING_MS = 90_000;
/** Largest difference, as a share, between those reads and the first. */
const MAX_CONFIRMING_DIFFERENCE = 0.05;

/** After this many ms without an answer, a silent second source no longer blocks prices. */
const SILENT_AFTER_MS = 60_000;
/** Maximum age of a price of the second source, ms. */
export const REFERENCE_MAX_AGE_MS = 60_000;
/** Largest half-width of the confidence interval, as a share of the price. */
export const REFERENCE_MAX_UNCERTAINTY = 0.01;
/** Largest accepted difference between the two sources, as a share. */
const MAX_DIFFERENCE = 0.02;
const MAX_DOLLAR_DIFFERENCE = 0.01;

interface Verdict {
  doubt: PriceDoubt | null;
  memory: PriceMemory;
}

/** Judges one price read. @param usd a price within the asset's bounds */
export function checkPrice(
  symbol: AssetSymbol,
  usd: number,
  reference: ReferenceAnswer,
  memory: PriceMemory,
  now: number,
): Verdict {
  if (reference.kind === "none") return checkPriceAlone(usd, memory, now);
  if (reference.kind === "answered") {
    if (matchesReference(symbol, usd, reference.price, now)) return acceptPrice(usd, now);
    return { doubt: "disputed", memory: { ...memory, waiting: null, silentSince: null } };
  }
  const silentSince = memory.silentSince ?? reference.lastPublishedAt ?? now;
  if (now - silentSince < SILENT_AFTER_MS) return { doubt: "unchecked", memory: { ...memory, silentSince } };
  const verdict = checkPriceAlone(usd, memory, now);
  return { ...verdict, memory: { ...verdict.memory, silentSince } };
}

/** Judges a price without a second source: by the last good price or, after a jump, by the reads since the jump. */
function checkPriceAlone(usd: number, memory: PriceMemory, now: number): Verdict {
  if (memory.good === null || computeDifference(usd, memory.good.usd) <= MAX_JUMP) return acceptPrice(usd, now);
  const { waiting } = memory;
  if (waiting === null || computeDifference(usd, waiting.usd) > MAX_CONFIRMING_DIFFERENCE) {
    return { doubt: "jumped", memory: { ...memory, waiting: { usd, since: now, reads: 1 } } };
  }
  const reads = waiting.reads + 1;
  if (reads >= CONFIRMING_READS && now - waiting.since >= MIN_CONFIRMING_MS) return acceptPrice(usd, now);
  return { doubt: "jumped", memory: { ...memory, waiting: { ...waiting, reads } } };
}

function acceptPrice(usd: number, now: number): Verdict {
  return { doubt: null, memory: { good: { usd, at: now }, waiting: null, silentSince: null } };
}

/** Returns whether the reference is sound and close to the price: 2 %, or 1 % for dollar tokens. */
export function matchesReference(
  symbol: AssetSymbol,
  usd: number,
  reference: ReferencePrice,
  now: number,
  maxAgeMs = REFERENCE_MAX_AGE_MS,
): boolean {
  const maxDifference = isDollarMint(ASSETS[symbol].mint) ? MAX_DOLLAR_DIFFERENCE : MAX_DIFFERENCE;
  return isSoundReference(reference, now, maxAgeMs) && computeDifference(usd, reference.usd) <= maxDifference;
}

/** Returns whether the reference is valid, recent and certain. */
export function isSoundReference(reference: ReferencePrice, now: number, maxAgeMs = REFERENCE_MAX_AGE_MS): boolean {
  const isUsable = Number.isFinite(reference.usd) && reference.usd > 0 && reference.confidenceUsd >= 0;
  const isRecent = Math.abs(now - reference.publishedAt) <= maxAgeMs;
  const isCertain = reference.confidenceUsd / reference.usd <= REFERENCE_MAX_UNCERTAINTY;
  return isUsable && isRecent && isCertain;
}

const computeDifference = (usd: number, baseUsd: number) => Math.abs(usd - baseUsd) / baseUsd;
