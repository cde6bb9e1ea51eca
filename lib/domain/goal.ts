import { MONTH_MS, type Pace } from "./projection";

interface GoalFacts extends Pace {
  amountMicroUsd: bigint;
  /** What is there already. */
  worthMicroUsd: bigint;
  /** From now until the day it is wanted; not positive when that has come. */
  leftMs: number;
}

export interface GoalOutlook {
  state: "reached" | "overdue" | "on-track" | "behind";
  /** What is not there yet. */
  missingMicroUsd: bigint;
  /** What the pace leaves open, shared out over the months that are left and rounded up; all of it with less than one left. */
  morePerMonthMicroUsd: bigint;
}

/** How a goal stands at somebody's own pace. What is there counts as it is: no growth is relied on. */
export function goalOutlook({ amountMicroUsd, worthMicroUsd, perMonthMicroUsd, leftMs }: GoalFacts): GoalOutlook {
  const [month, left] = [BigInt(MONTH_MS), BigInt(Math.max(0, Math.floor(leftMs)))];
  const missing = max(0n, amountMicroUsd - worthMicroUsd);
  const open = max(0n, missing - (perMonthMicroUsd * left) / month);
  const over = max(left, month);
  const state = missing === 0n ? "reached" : left === 0n ? "overdue" : open === 0n ? "on-track" : "behind";
  return { state, missingMicroUsd: missing, morePerMonthMicroUsd: (open * month + over - 1n) / over };
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
