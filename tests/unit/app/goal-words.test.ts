import { expect, test } from "vitest";
import { goalStanding } from "@/app/dashboard/_overview/goal/goal-words";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { MONTH_MS } from "@/lib/domain/projection";

const PACE = { perMonthMicroUsd: 10_000_000n, young: true };
const outlook = (worthUsd: number, months: number) =>
  computeGoalOutlook({
    amountMicroUsd: 120_000_000n,
    worthMicroUsd: BigInt(worthUsd * 1e6),
    perMonthMicroUsd: PACE.perMonthMicroUsd,
    leftMs: months * MONTH_MS,
  });

test("reports no goal as behind during the first week", () => {
  expect(goalStanding(outlook(20, 5), { ...PACE, shown: false })).toEqual({
    tone: "plain",
    label: "Just started",
    text: "$100.00 to go. We’ll show your pace after a week.",
  });
  expect(goalStanding(outlook(20, 5), { ...PACE, shown: true })).toEqual({
    tone: "warn",
    label: "Behind",
    text: "$100.00 to go, about 10 months at $10.00 a month. Add $10.00 more a month to reach it in time.",
  });
});

test.each([
  ["On track", 20, 12],
  ["Reached", 120, 1],
  ["Overdue", 20, 0],
])("%s is said from the first day", (label, worthUsd, months) => {
  expect(goalStanding(outlook(worthUsd, months), { ...PACE, shown: false }).label).toBe(label);
});
