import { describe, expect, test } from "vitest";
import { computeMonthlyPace } from "@/app/_landing/calculator-fields";
import { computeYear } from "@/app/_landing/year";
import { PLAN_LIST, type PlanOrCustom } from "@/lib/sdk/preview-round-up";

const createTerms = (choice: PlanOrCustom) => ({ choice, incrementUsd: 0, ceilingUsd: 1 });

describe("the year's estimate", () => {
  test("assumes that every cent amount is equally frequent if no amounts are given", () => {
    for (const { plan, roundToUsd } of PLAN_LIST) {
      const { roundUpUsd, feeUsd, investedUsd } = computeYear(createTerms(plan), 10, []);
      // The average round-up is half a step less half a cent.
      expect(roundUpUsd).toBeCloseTo(((roundToUsd - 0.01) / 2) * 520, 6);
      expect(feeUsd + investedUsd).toBeCloseTo(roundUpUsd, 6);
    }
  });

  test("repeats the given amounts and counts only round-ups above zero", () => {
    const year = computeYear(createTerms("forest"), 2, [4.98, 12]);
    expect(year.roundUpUsd).toBeCloseTo(0.02 * 52, 9);
    expect(year.roundUpCount).toBe(52);
    expect(computeYear(createTerms("forest"), 5, [3]).roundUpCount).toBe(0);
  });

  test("computes the monthly pace as a twelfth of the year's investment, in micro-dollars", () => {
    expect(computeMonthlyPace({ roundUpUsd: 0, feeUsd: 0, investedUsd: 366, roundUpCount: 0 })).toBe(30_500_000n);
  });
});
