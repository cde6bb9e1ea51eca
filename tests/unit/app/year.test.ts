import { describe, expect, test } from "vitest";
import { computeMonthlyPace, DEFAULT_FIELDS, readFields } from "@/app/_landing/calculator-fields";
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

describe("the calculator fields", () => {
  test("give every result that the valid fields allow", () => {
    const { preview, yearInput, errors } = readFields({ ...DEFAULT_FIELDS, purchase: "27,63", perWeek: "1.5" });
    expect(preview?.roundUpUsd).toBe(0.37);
    expect([yearInput, errors.perWeek]).toEqual([null, "A whole number, please."]);
    const withInvalidPurchase = readFields({ ...DEFAULT_FIELDS, purchase: "abc", typical: "4,98 12" });
    expect([withInvalidPurchase.preview, withInvalidPurchase.yearInput]).toEqual([
      null,
      { perWeek: 15, purchasesUsd: [4.98, 12] },
    ]);
  });

  test("repeat a typed purchase with change when no usual amounts are given", () => {
    const readPurchasesUsd = (purchase: string) => readFields({ ...DEFAULT_FIELDS, purchase }).yearInput?.purchasesUsd;
    expect([readPurchasesUsd("27.63"), readPurchasesUsd("12"), readPurchasesUsd("abc")]).toEqual([[27.63], [], []]);
  });

  test("give no terms while the ceiling or the chosen step is invalid", () => {
    expect(readFields({ ...DEFAULT_FIELDS, ceiling: "0" }).terms).toBeNull();
    expect(readFields({ ...DEFAULT_FIELDS, choice: "custom", increment: "" }).terms).toBeNull();
    expect(readFields({ ...DEFAULT_FIELDS, increment: "" }).terms).not.toBeNull();
  });
});
