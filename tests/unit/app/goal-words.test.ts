import { expect, test } from "vitest";
import { describeGoal } from "@/app/dashboard/_overview/goal/goal-words";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { MONTH_MS } from "@/lib/domain/time";

const PACE = { perMonthMicroUsd: 10_000_000n, isFirstMonth: true, isRepresentative: true };
const NEW_PACE = { ...PACE, isRepresentative: false };
const NOW_MS = Date.parse("2026-11-26T00:00:00.000Z");

/** Describes a goal of $120 that is due in `monthsLeft` months, or has no date. */
function describeGoalIn(
  monthsLeft: number | null,
  pace = PACE,
  { worthUsd = 20, weeklyUsd = null as number | null } = {},
) {
  const timeLeftMs = monthsLeft === null ? null : monthsLeft * MONTH_MS;
  const outlook = computeGoalOutlook({
    amountMicroUsd: 120_000_000n,
    worthMicroUsd: BigInt(worthUsd * 1e6),
    perMonthMicroUsd: pace.perMonthMicroUsd,
    timeLeftMs,
  });
  return describeGoal(outlook, pace, { amountUsd: 120, timeLeftMs, weeklyUsd, now: NOW_MS });
}

test("the page reports no goal as behind during the first week, but says what it needs each week", () => {
  expect(describeGoalIn(5, NEW_PACE)).toEqual({
    tone: "plain",
    label: "Just started",
    text: "$100.00 to go. Save $4.60 a week to reach it in time. After a week of saving, this page uses your own pace.",
  });
  expect(describeGoalIn(0.1, NEW_PACE).text, "less than a week is left").toContain("Save $100.00 a week");
  expect(describeGoalIn(5)).toEqual({
    tone: "warn",
    label: "Behind",
    text: "$100.00 to go, about 10 months at $10.00 a month. Add $10.00 more a month to reach it in time.",
  });
});

test("the page says in how many months a goal without a target date is reached", () => {
  expect(describeGoalIn(null)).toEqual({
    tone: "plain",
    label: "Under way",
    text: "$100.00 to go, about 10 months at $10.00 a month.",
  });
  expect(describeGoalIn(null, PACE, { worthUsd: 120 }).label).toBe("Reached");
});
