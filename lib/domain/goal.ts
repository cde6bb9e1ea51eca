import { clampToZero, pickLarger } from "./money";
import type { Pace } from "./projection";
import { MONTH_MS } from "./time";

interface GoalFacts extends Pace {
  /** Value that the savings should reach. */
  amountMicroUsd: bigint;
  worthMicroUsd: bigint;
  /** Time until the target day. Zero or negative once the day has come. Null for a goal without a day. */
  timeLeftMs: number | null;
}

export interface GoalOutlook {
  state: "reached" | "undated" | "overdue" | "on-track" | "behind";
  missingMicroUsd: bigint;
  /** Monthly amount needed in addition to the pace, rounded up. The whole gap when less than a month is left. */
  morePerMonthMicroUsd: bigint;
}

/** Compares a savings goal with the current monthly pace. Assumes no growth. */
export function computeGoalOutlook({
  amountMicroUsd,
  worthMicroUsd,
  perMonthMicroUsd,
  timeLeftMs,
}: GoalFacts): GoalOutlook {
  const missingMicroUsd = clampToZero(amountMicroUsd - worthMicroUsd);
  if (timeLeftMs === null)
    return { state: missingMicroUsd === 0n ? "reached" : "undated", missingMicroUsd, morePerMonthMicroUsd: 0n };
  const [monthMs, remainingMs] = [BigInt(MONTH_MS), BigInt(Math.max(0, Math.floor(timeLeftMs)))];
  const gapMicroUsd = clampToZero(missingMicroUsd - (perMonthMicroUsd * remainingMs) / monthMs);
  // The gap is spread over the time left, or over a whole month if less than a month is left.
  const spreadMs = pickLarger(remainingMs, monthMs);
  const state =
    missingMicroUsd === 0n ? "reached" : remainingMs === 0n ? "overdue" : gapMicroUsd === 0n ? "on-track" : "behind";
  return { state, missingMicroUsd, morePerMonthMicroUsd: (gapMicroUsd * monthMs + spreadMs - 1n) / spreadMs };
}
