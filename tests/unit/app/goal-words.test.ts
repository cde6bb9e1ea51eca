import { expect, test } from "vitest";
import { describeGoal } from "@/app/dashboard/_overview/goal/goal-words";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { MONTH_MS } from "@/lib/domain/projection";

const PACE = { perMonthMicroUsd: 10_000_000n, isFirstMonth: true };
const computeOutlook = (worthUsd: number, months: number | null) =>
  computeGoalOutlook({
    amountMicroUsd: 120_000_000n,
    worthMicroUsd: BigInt(worthUsd * 1e6),
    perMonthMicroUsd: PACE.perMonthMicroUsd,
    leftMs: months === null ? null : months * MONTH_MS,
  });

test("calls a goal just started, not behind, before its pace is representative", () => {
  expect(describeGoal(computeOutlook(20, 5), { ...PACE, isRepresentative: false })).toEqual({
    tone: "plain",
    label: "Just started",
    text: "$100.00 to go, about 10 months at $10.00 a month. This pace can still change.",
  });
  expect(describeGoal(computeOutlook(20, 5), { ...PACE, isRepresentative: true })).toEqual({
    tone: "warn",
    label: "Behind",
    text: "$100.00 to go, about 10 months at $10.00 a month. Add $10.00 more a month to reach it in time.",
  });
});

test("estimates the months to a goal without a date", () => {
  expect(describeGoal(computeOutlook(20, null), { ...PACE, isRepresentative: true })).toEqual({
    tone: "plain",
    label: "Under way",
    text: "$100.00 to go, about 10 months at $10.00 a month.",
  });
  expect(describeGoal(computeOutlook(20, null), { ...PACE, isRepresentative: false }).label).toBe("Just started");
  expect(describeGoal(computeOutlook(120, null), { ...PACE, isRepresentative: true }).label).toBe("Reached");
});

test.each([
  ["On track", 20, 12],
  ["Reached", 120, 1],
  ["Overdue", 20, 0],
])("labels a goal %s even before its pace is representative", (label, worthUsd, months) => {
  expect(describeGoal(computeOutlook(worthUsd, months), { ...PACE, isRepresentative: false }).label).toBe(label);
});
