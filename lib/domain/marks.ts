import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { encodeUtf8 } from "../solana/bytes";
import { DAY_MS, WEEK_MS } from "./time";

/**
 * A memo in a saving, signed by the wallet that pays. It says what the saving covers. Any device can read it on the
 * chain, so no device saves the same payments again.
 * - `through`: every payment up to the transaction with this signature is saved, those of its slot included. `after`
 *   names the newest payment that was saved before, so the savings of a wallet form a chain.
 * - `topup`: the top-up for this period has been made.
 * - `ref`: the order with this reference has been saved. The value is the hash that createReferenceMark computes.
 */
export type Mark =
  | ThroughMark
  | { kind: "topup"; value: string }
  /** `key` is the read-only account by which the chain finds the saving. Null when no transfer carries it. */
  | { kind: "ref"; value: string; key: string | null };

export interface ThroughMark {
  kind: "through";
  value: string;
  /** NOTHING_SAVED, or the digest that `createThroughMark` computes. */
  after: string;
}

export interface SignedMark {
  /** The wallet whose payments the mark covers. It alone signs the memo, unless a delegate does. */
  wallet: string;
  /** The only signer of the memo, if the mark belongs to a saving by allowance: it names its owner as a key. */
  delegate?: string;
  mark: Mark;
}

/** Stands for the newest saved payment while no payment is saved. */
export const NOTHING_SAVED = "none";

/** The time before which no service has written a mark, ms since the epoch. Searches of histories end there. */
export const OLDEST_MARK_MS = Date.UTC(2026, 8, 1);

/** Bytes of the digest in `after`. */
export const DIGEST_BYTES = 16;

/**
 * Returns the mark of a saving.
 * @param through signature of the newest payment that it saves
 * @param after signature of the newest payment that was saved before, or NOTHING_SAVED
 */
export const createThroughMark = (through: string, after: string): ThroughMark => ({
  kind: "through",
  value: through,
  after: after === NOTHING_SAVED ? after : bs58.encode(sha256(encodeUtf8(after)).subarray(0, DIGEST_BYTES)),
});

/** Allowed names for a top-up period. */
export const TOPUP_PERIOD_PATTERN = /^[\w.-]{1,32}$/;

/**
 * Returns the time from which a period is refused: one period after its end, ms since the epoch. Periods are UTC weeks
 * `YYYY-Www` (ISO 8601), months `YYYY-MM` and days `YYYY-MM-DD`. Returns null for any other name, which is never
 * refused.
 */
export function computePeriodClose(period: string): number | null {
  const [, year, week] = /^(\d{4})-W(\d{2})$/.exec(period) ?? [];
  if (year && week) return computeWeekClose(year, Number(week));
  const [, yearAndMonth, day] = /^(\d{4}-\d{2})(-\d{2})?$/.exec(period) ?? [];
  if (!yearAndMonth) return null;
  const start = new Date(`${yearAndMonth}${day ?? "-01"}T00:00:00Z`);
  // An impossible date such as February 30 counts as an ordinary name.
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(period)) return null;
  return day ? start.getTime() + 2 * DAY_MS : start.setUTCMonth(start.getUTCMonth() + 2);
}

/** Returns the close of an ISO 8601 week, ms since the epoch; null if the year has no such week. */
function computeWeekClose(year: string, week: number): number | null {
  const january4 = new Date(`${year}-01-04T00:00:00Z`);
  const daysSinceMonday = (january4.getUTCDay() + 6) % 7;
  // January 4 is always in week 1.
  const monday = january4.getTime() - daysSinceMonday * DAY_MS + (week - 1) * WEEK_MS;
  // A week belongs to the year of its Thursday.
  const isInYear = week >= 1 && new Date(monday + 3 * DAY_MS).getUTCFullYear() === Number(year);
  return isInYear ? monday + 2 * WEEK_MS : null;
}

/** Returns the ISO 8601 week (UTC) of a time, e.g. 2026-W47. @param time ms since the epoch */
export function toIsoWeek(time: number): string {
  // In ISO 8601, a week belongs to the year of its Thursday.
  const thursday = new Date(time + (4 - (new Date(time).getUTCDay() || 7)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / WEEK_MS);
  return `${year}-W${String(week).padStart(2, "0")}`;
}

export const formatMark = (mark: Mark) =>
  mark.kind === "through"
    ? `${THROUGH_MEMO_START}${mark.value}:after:${mark.after}`
    : `roundup:1:${mark.kind}:${mark.value}`;

/** How the memo of every `through` mark begins. */
export const THROUGH_MEMO_START = "roundup:2:through:";
