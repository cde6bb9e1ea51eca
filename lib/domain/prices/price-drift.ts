import { DAY_MS } from "../time";

/** Limits how far a price may move from a confirmed one. Money is US dollars; times are ms since the epoch. */

export interface ConfirmedPrice {
  /** Price of one coin. */
  usd: number;
  at: number;
}

/** Largest rise or fall per day, as a share. */
const MAX_DRIFT_PER_DAY = 0.3;
/** Younger prices count as this old, which leaves room for a normal hour of trading: 9 % up, 11 % down. */
const MIN_ELAPSED_MS = 8 * 3_600_000;
/** Older prices count as this old: 69 % up, 51 % down. */
const MAX_ELAPSED_MS = 2 * DAY_MS;

/** Formats the confirmation time to the minute, such as 2026-11-21 10:00 (UTC). */
export const formatConfirmedAt = ({ at }: ConfirmedPrice) => new Date(at).toISOString().slice(0, 16).replace("T", " ");

/**
 * Picks the price to compare with: the oldest of the last 24 hours, else the newest. Returns null when no price was
 * confirmed.
 */
export function pickBaseline(confirmedPrices: readonly ConfirmedPrice[], now: number): ConfirmedPrice | null {
  const pricesOldestFirst = [...confirmedPrices].sort((left, right) => left.at - right.at);
  return pricesOldestFirst.find(({ at }) => at > now - DAY_MS) ?? pricesOldestFirst.at(-1) ?? null;
}

/**
 * Returns whether `usd` is within the drift allowed since `baseline`: 30 % a day, compounded. The elapsed time counts as
 * at least 8 hours and at most 2 days. A future time counts as now.
 */
export function isWithinDrift(usd: number, baseline: ConfirmedPrice, now: number): boolean {
  const days = Math.min(Math.max(now - baseline.at, MIN_ELAPSED_MS), MAX_ELAPSED_MS) / DAY_MS;
  const ratio = usd / baseline.usd;
  return ratio <= (1 + MAX_DRIFT_PER_DAY) ** days && ratio >= (1 - MAX_DRIFT_PER_DAY) ** days;
}
