import { DAY_MS } from "./price-history";

/** How far a price may move from one that was confirmed before. Pure; money is US dollars, times are ms since the epoch. */

export interface ConfirmedPrice {
  /** For one coin. */
  usd: number;
  at: number;
}

/** A price may rise or fall by this share within a day. */
const PER_DAY = 0.3;
/** A younger price is held against as if it were so old, so that an hour of an ordinary market passes: 9 % up, 11 % down. */
const SHORTEST_MS = 8 * 3_600_000;
/** An older price allows no more than this age does: 69 % up, 51 % down. */
const LONGEST_MS = 2 * DAY_MS;

/** When it was confirmed, to the minute, as 2026-11-21 10:00. */
export const confirmedAtText = ({ at }: ConfirmedPrice) => new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** The price to compare with: the oldest of the last 24 hours, else the newest. Null when none was confirmed yet. */
export function baselineOf(confirmed: readonly ConfirmedPrice[], now: number): ConfirmedPrice | null {
  const byAge = [...confirmed].sort((one, other) => one.at - other.at);
  return byAge.find(({ at }) => at > now - DAY_MS) ?? byAge.at(-1) ?? null;
}

/**
 * Whether `usd` lies within what the time since `before` allows: 30 % a day, compounded, for at least 8 hours and at most
 * 2 days. A time in the future counts as now.
 */
export function isWithinDrift(usd: number, before: ConfirmedPrice, now: number): boolean {
  const days = Math.min(Math.max(now - before.at, SHORTEST_MS), LONGEST_MS) / DAY_MS;
  const share = usd / before.usd;
  return share <= (1 + PER_DAY) ** days && share >= (1 - PER_DAY) ** days;
}
