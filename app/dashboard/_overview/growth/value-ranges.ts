import { DAY_MS } from "@/lib/domain/time";

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

/**
 * Returns "All" and every range that is shorter than the savings' age. A longer range would show the same chart as
 * "All".
 * @param ageMs age of the savings, ms
 */
export const listRanges = (ageMs: number) => RANGES.filter(([name]) => name === "all" || RANGE_MS[name] < ageMs);
