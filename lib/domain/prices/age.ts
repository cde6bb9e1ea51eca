/** Two instances' clocks may differ by so much; what lies further ahead was written by a clock that has been set back since. */
const APART_MS = 5_000;

/** How old what happened at a moment is, both ms since the epoch; Infinity where no clock can tell. */
export function ageMs(at: number, now: number): number {
  return at > now + APART_MS ? Number.POSITIVE_INFINITY : Math.max(0, now - at);
}
