/** Lengths of time in ms. */
export const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** A twelfth of 365.25 days. */
export const MONTH_MS = 2_629_800_000;
/** Longer than any calendar month, even one of 31 days in which the clocks are set back by an hour. */
export const LONGEST_MONTH_MS = 32 * DAY_MS;

/** Returns the start of a time's calendar month, in local time. Both are ms since the Unix epoch. */
export function findMonthStart(timeMs: number): number {
  const time = new Date(timeMs);
  return new Date(time.getFullYear(), time.getMonth(), 1).getTime();
}
