import type { AssetSymbol } from "../assets";

/** Whether a price that was just read may build transactions, judged by what else is known. Pure; money is US dollars, times are ms since the epoch. */

/** Why a price is shown but builds nothing. */
export type PriceDoubt =
  /** The second source says otherwise, or nothing certain. */
  | "disputed"
  /** Too far from the last good price, and nobody has confirmed it yet. */
  | "jumped"
  /** What it must be compared with could not be had. */
  | "unchecked";

export interface ReferencePrice {
  usd: number;
  /** Half-width of the publishers' confidence interval, US dollars. */
  confidenceUsd: number;
  publishedAt: number;
}

/** What the second source says of one asset. */
export type Reference =
  /** There is no second source. */
  | { kind: "none" }
  | { kind: "said"; price: ReferencePrice }
  /** It says nothing; the last it said is from `heardAt`, null when it never said anything here. */
  | { kind: "silent"; heardAt: number | null };

/** What is kept of an asset from read to read. */
export type PriceMemory = {
  /** The last price that could build; null before the first. */
  good: { usd: number; at: number } | null;
  /** A price that jumped, while it waits to be confirmed: the first of the reads that agree, and their number. */
  waiting: { usd: number; since: number; reads: number } | null;
  /** Since when the second source has said nothing. */
  silentSince: number | null;
};

/** Before the first read. */
export const NO_MEMORY: PriceMemory = { good: null, waiting: null, silentSince: null };

/** Further from the last good price than this share needs confirming. */
const MAX_JUMP = 0.2;
/** So many reads that agree confirm a jump where no second source can, */
const CONFIRMING_READS = 3;
/** the first and the last of them so far apart, ms: a glitch of the source is over by then. */
const CONFIRMING_MS = 90_000;
/** How far, as a share, those reads may lie from the first. */
const CONFIRMING_DIFFERENCE = 0.05;

/** A second source that has said nothing for so long, ms, stops nobody any more. */
const SILENT_AFTER_MS = 60_000;
export const REFERENCE_MAX_AGE_MS = 60_000;
/** Share of the price that its confidence interval may be wide to each side. */
export const REFERENCE_MAX_UNCERTAINTY = 0.01;
const MAX_DIFFERENCE = 0.02;
const MAX_STABLE_DIFFERENCE = 0.01;
const STABLES: ReadonlySet<AssetSymbol> = new Set(["USDC", "USDT"]);

export interface Verdict {
  doubt: PriceDoubt | null;
  /** For the next read. */
  memory: PriceMemory;
}

/** @param usd within the asset's bounds */
export function judgePrice(
  symbol: AssetSymbol,
  usd: number,
  reference: Reference,
  memory: PriceMemory,
  now: number,
): Verdict {
  if (reference.kind === "none") return judgeAlone(usd, memory, now);
  if (reference.kind === "said") {
    if (agrees(symbol, usd, reference.price, now)) return good(usd, now);
    return { doubt: "disputed", memory: { ...memory, waiting: null, silentSince: null } };
  }
  const silentSince = memory.silentSince ?? reference.heardAt ?? now;
  if (now - silentSince < SILENT_AFTER_MS) return { doubt: "unchecked", memory: { ...memory, silentSince } };
  const verdict = judgeAlone(usd, memory, now);
  return { ...verdict, memory: { ...verdict.memory, silentSince } };
}

/** Against the last good price, or after a jump by the reads since. */
function judgeAlone(usd: number, memory: PriceMemory, now: number): Verdict {
  if (memory.good === null || difference(usd, memory.good.usd) <= MAX_JUMP) return good(usd, now);
  const { waiting } = memory;
  if (waiting === null || difference(usd, waiting.usd) > CONFIRMING_DIFFERENCE) {
    return { doubt: "jumped", memory: { ...memory, waiting: { usd, since: now, reads: 1 } } };
  }
  const reads = waiting.reads + 1;
  if (reads >= CONFIRMING_READS && now - waiting.since >= CONFIRMING_MS) return good(usd, now);
  return { doubt: "jumped", memory: { ...memory, waiting: { ...waiting, reads } } };
}

function good(usd: number, now: number): Verdict {
  return { doubt: null, memory: { good: { usd, at: now }, waiting: null, silentSince: null } };
}

/** Whether the reference is usable, recent and certain enough, and close to the price: within 2 %, stables within 1 %. */
export function agrees(
  symbol: AssetSymbol,
  usd: number,
  reference: ReferencePrice,
  now: number,
  maxAgeMs = REFERENCE_MAX_AGE_MS,
): boolean {
  const usable = Number.isFinite(reference.usd) && reference.usd > 0 && reference.confidenceUsd >= 0;
  const recent = Math.abs(now - reference.publishedAt) <= maxAgeMs;
  const certain = reference.confidenceUsd / reference.usd <= REFERENCE_MAX_UNCERTAINTY;
  const allowed = STABLES.has(symbol) ? MAX_STABLE_DIFFERENCE : MAX_DIFFERENCE;
  return usable && recent && certain && difference(usd, reference.usd) <= allowed;
}

const difference = (usd: number, from: number) => Math.abs(usd - from) / from;
