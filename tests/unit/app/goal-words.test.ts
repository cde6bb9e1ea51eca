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

test("reports no goal as behind during the first week, but says what it needs each month", () => {
  expect(describeGoal(computeOutlook(20, 5), { ...PACE, isRepresentative: false }, 5 * MONTH_MS)).toEqual({
    tone: "plain",
    label: "Just started",
    text: "$100.00 to go. Save $20.00 a month to reach it in time. We’ll show your pace after a week.",
  });
  const soon = describeGoal(computeOutlook(20, 0.5), { ...PACE, isRepresentative: false }, MONTH_MS / 2);
  expect(soon.text, "less than a month is left").toContain("Save $100.00 a month");
  expect(describeGoal(computeOutlook(20, 5), { ...PACE, isRepresentative: true }, 5 * MONTH_MS)).toEqual({
    tone: "warn",
    label: "Behind",
    text: "$100.00 to go, about 10 months at $10.00 a month. Add $10.00 more a month to reach it in time.",
  });
});

test("says in how many months a goal without a day is reached", () => {
  expect(describeGoal(computeOutlook(20, null), { ...PACE, isRepresentative: true }, null)).toEqual({
    tone: "plain",
    label: "Under way",
    text: "$100.00 to go, about 10 months at $10.00 a month.",
  });
  expect(describeGoal(computeOutlook(20, null), { ...PACE, isRepresentative: false }, null)).toMatchObject({
    label: "Just started",
    text: "$100.00 to go. We’ll show your pace after a week.",
  });
  expect(describeGoal(computeOutlook(120, null), { ...PACE, isRepresentative: true }, null).label).toBe("Reached");
});

test.each([
  ["On track", 20, 12],
  ["Reached", 120, 1],
  ["Overdue", 20, 0],
])("%s is said from the first day", (label, worthUsd, months) => {
  expect(
    describeGoal(computeOutlook(worthUsd, months), { ...PACE, isRepresentative: false }, months * MONTH_MS).label,
  ).toBe(label);
});
