import { describe, expect, test } from "vitest";
import { FIRST_FIELDS, paceOf, readFields } from "@/app/_landing/calculator-fields";
import { yearOf } from "@/app/_landing/year";
import { type Choice, PLAN_LIST } from "@/lib/sdk/preview-round-up";

const terms = (choice: Choice) => ({ choice, incrementUsd: 0, ceilingUsd: 1 });

describe("a year of a plan", () => {
  test("averages every cent ending equally without amounts: half a step less half a cent", () => {
    for (const { plan, roundToUsd } of PLAN_LIST) {
      const { roundUpUsd, feeUsd, investedUsd } = yearOf(terms(plan), 10, []);
      expect(roundUpUsd).toBeCloseTo(((roundToUsd - 0.01) / 2) * 520, 6);
      expect(feeUsd + investedUsd).toBeCloseTo(roundUpUsd, 6);
    }
  });

  test("repeats the given amounts and charges no network fee for a zero round-up", () => {
    const year = yearOf(terms("forest"), 2, [4.98, 12]);
    expect(year.roundUpUsd).toBeCloseTo(0.02 * 52, 9);
    expect(year.roundUps).toBe(52);
    expect(yearOf(terms("forest"), 5, [3]).roundUps).toBe(0);
  });

  test("a month saves a twelfth of it", () => {
    expect(paceOf({ roundUpUsd: 0, feeUsd: 0, investedUsd: 366, roundUps: 0 })).toBe(30_500_000n);
  });
});

describe("the calculator's fields", () => {
  test("return every result that the valid fields allow", () => {
    const { result, rhythm, errors } = readFields({ ...FIRST_FIELDS, purchase: "27,63", perWeek: "1.5" });
    expect(result?.roundUpUsd).toBe(0.37);
    expect([rhythm, errors.perWeek]).toEqual([null, "A whole number, please."]);
    const other = readFields({ ...FIRST_FIELDS, purchase: "abc", typical: "4,98 12" });
    expect([other.result, other.rhythm]).toEqual([null, { perWeek: 15, amounts: [4.98, 12] }]);
  });

  test("repeat the typed purchase when no usual amounts are given, unless it leaves no change", () => {
    const amountsOf = (purchase: string) => readFields({ ...FIRST_FIELDS, purchase }).rhythm?.amounts;
    expect([amountsOf("27.63"), amountsOf("12"), amountsOf("abc")]).toEqual([[27.63], [], []]);
  });

  test("return no terms while the ceiling or the chosen step is invalid", () => {
    expect(readFields({ ...FIRST_FIELDS, ceiling: "0" }).terms).toBeNull();
    expect(readFields({ ...FIRST_FIELDS, choice: "custom", increment: "" }).terms).toBeNull();
    expect(readFields({ ...FIRST_FIELDS, increment: "" }).terms).not.toBeNull();
  });
});
