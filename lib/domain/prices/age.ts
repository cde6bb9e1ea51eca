/** Largest clock difference between instances. A time further ahead was written before its clock was set back. */
const MAX_CLOCK_SKEW_MS = 5_000;

/** Returns the age of a moment, both in ms since the epoch. Infinity when it is too far in the future to trust. */
export function computeAgeMs(at: number, now: number): number {
  return at > now + MAX_CLOCK_SKEW_MS ? Number.POSITIVE_INFINITY : Math.max(0, now - at);
}
