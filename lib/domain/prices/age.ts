/** Largest clock difference between instances. A time further ahead was written before its clock was set back. */
const MAX_CLOCK_SKEW_MS = 5_000;

/**
 * Returns the age of a time in ms. Returns Infinity when the time is too far in the future to trust.
 * @param time ms since the epoch, like `now`
 */
export function computeAgeMs(time: number, now: number): number {
  return time > now + MAX_CLOCK_SKEW_MS ? Number.POSITIVE_INFINITY : Math.max(0, now - time);
}
