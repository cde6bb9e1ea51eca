import { describe, expect, test } from "vitest";
import { computeMonthlyPace, DEFAULT_FIELDS, readFields } from "@/app/_landing/calculator-fields";
import { computeYear } from "@/app/_landing/year";
import { type Choice, PLAN_LIST } from "@/lib/sdk/preview-round-up";

const terms = (choice: Choice) => ({ choice, incrementUsd: 0, ceilingUsd: 1 });

describe("a year of a plan", () => {
  test("averages every cent ending equally without amounts: half a step less half a cent", () => {
    for (const { plan, roundToUsd } of PLAN_LIST) {
      const { roundUpUsd, feeUsd, investedUsd } = computeYear(terms(plan), 10, []);
      expect(roundUpUsd).toBeCloseTo(((roundToUsd - 0.01) / 2) * 520, 6);
      expect(feeUsd + investedUsd).toBeCloseTo(roundUpUsd, 6);
    }
  });

  test("repeats the given amounts and charges no network fee for a zero round-up", () => {
    const year = computeYear(terms("forest"), 2, [4.98, 12]);
    expect(year.roundUpUsd).toBeCloseTo(0.02 * 52, 9);
    expect(year.roundUps).toBe(52);
    expect(computeYear(terms("forest"), 5, [3]).roundUps).toBe(0);
  });

  test("a month saves a twelfth of it", () => {
    expect(computeMonthlyPace({ roundUpUsd: 0, feeUsd: 0, investedUsd: 366, roundUps: 0 })).toBe(30_500_000n);
  });
});

describe("the calculator's fields", () => {
  test("return every result that the valid fields allow", () => {
    const { result, yearInput, errors } = readFields({ ...DEFAULT_FIELDS, purchase: "27,63", perWeek: "1.5" });
    expect(result?.roundUpUsd).toBe(0.37);
    expect([yearInput, errors.perWeek]).toEqual([null, "A whole number, please."]);
    const other = readFields({ ...DEFAULT_FIELDS, purchase: "abc", typical: "4,98 12" });
    expect([other.result, other.yearInput]).toEqual([null, { perWeek: 15, amounts: [4.98, 12] }]);
  });

  test("repeat the typed purchase when no usual amounts are given, unless it leaves no change", () => {
    const amountsOf = (purchase: string) => readFields({ ...DEFAULT_FIELDS, purchase }).yearInput?.amounts;
    expect([amountsOf("27.63"), amountsOf("12"), amountsOf("abc")]).toEqual([[27.63], [], []]);
  });

  test("return no terms while the ceiling or the chosen step is invalid", () => {
    expect(readFields({ ...DEFAULT_FIELDS, ceiling: "0" }).terms).toBeNull();
    expect(readFields({ ...DEFAULT_FIELDS, choice: "custom", increment: "" }).terms).toBeNull();
    expect(readFields({ ...DEFAULT_FIELDS, increment: "" }).terms).not.toBeNull();
  });
});
