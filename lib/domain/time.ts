/** Lengths of time in ms. */
export const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** A twelfth of 365.25 days. */
export const MONTH_MS = 2_629_800_000;
