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

test("during the first week, the page gives an example for a goal without a target date, and states no pace", () => {
  expect(describeGoalIn(null, NEW_PACE)).toEqual({
    tone: "plain",
    label: "Just started",
    text: "$100.00 to go. For example, at $5.00 a week you reach $120.00 in about 20 weeks, in April 2027. After a week of saving, this page uses your own pace. Add a date to see what it takes each week.",
  });
  expect(describeGoalIn(null, NEW_PACE, { worthUsd: 119 }).text).toContain("in about 1 week, in December 2026.");
});

test("the example uses the amount that the person has chosen to add every week", () => {
  expect(describeGoalIn(null, NEW_PACE, { weeklyUsd: 10 }).text).toContain(
    "With your weekly top-up of $10.00 you reach $120.00 in about 10 weeks, in February 2027.",
  );
  expect(describeGoalIn(null, NEW_PACE, { weeklyUsd: 0.5 }).text).toContain("in about 4 years, in September 2030.");
});

test("without a chosen weekly amount, the example reaches a goal of $10,000,000 within two years", () => {
  const outlook = { state: "undated", missingMicroUsd: 10_000_000_000_000n, morePerMonthMicroUsd: 0n } as const;
  const context = { amountUsd: 10_000_000, timeLeftMs: null, weeklyUsd: null, now: NOW_MS };
  expect(describeGoal(outlook, NEW_PACE, context).text).toContain(
    "at $163,840.00 a week you reach $10,000,000.00 in about 62 weeks, in February 2028.",
  );
});

test.each([
  ["On track", 20, 12],
  ["Reached", 120, 1],
  ["Overdue", 20, 0],
])("the page shows the label %s from the first day", (label, worthUsd, monthsLeft) => {
  expect(describeGoalIn(monthsLeft, NEW_PACE, { worthUsd }).label).toBe(label);
});
