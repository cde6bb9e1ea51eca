const DAY_MS = 86_400_000;

const RANGES = [
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
  ["all", "All"],
] as const;

export type Range = (typeof RANGES)[number][0];

/** Length of each range of the value chart, ms. */
export const RANGE_MS: Record<Range, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
};

/** Returns the ranges that differ: "All", and those shorter than the savings' age (ms), which "All" would equal. */
export const listRanges = (ageMs: number) => RANGES.filter(([name]) => name === "all" || RANGE_MS[name] < ageMs);
