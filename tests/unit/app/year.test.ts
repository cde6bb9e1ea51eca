import { describe, expect, test } from "vitest";
import { FIRST_TYPED, paceOf, readTyped } from "@/app/_landing/typed";
import { yearOf } from "@/app/_landing/year";
import { type Choice, PLAN_LIST } from "@/lib/sdk/preview-round-up";

const terms = (choice: Choice) => ({ choice, incrementUsd: 0, ceilingUsd: 1 });

describe("a year of a plan", () => {
  test("without amounts every ending counts alike: half a step less half a cent on average", () => {
    for (const { plan, roundToUsd } of PLAN_LIST) {
      const { roundUpUsd, feeUsd, investedUsd } = yearOf(terms(plan), 10, []);
      expect(roundUpUsd).toBeCloseTo(((roundToUsd - 0.01) / 2) * 520, 6);
      expect(feeUsd + investedUsd).toBeCloseTo(roundUpUsd, 6);
    }
  });

  test("with amounts they are repeated; what is skipped is no round-up and costs no network fee", () => {
    const year = yearOf(terms("forest"), 2, [4.98, 12]);
    expect(year.roundUpUsd).toBeCloseTo(0.02 * 52, 9);
    expect(year.roundUps).toBe(52);
    expect(yearOf(terms("forest"), 5, [3]).roundUps).toBe(0);
  });

  test("is its 52 weeks as a pace a month", () => {
    expect(paceOf({ roundUpUsd: 0, feeUsd: 0, investedUsd: 52 * 7, roundUps: 0 })).toBe(30_437_500n);
  });
});

describe("what stands in the calculator", () => {
  test("is answered where it can be read, whatever is wrong in the other fields", () => {
    const { result, rhythm, errors } = readTyped({ ...FIRST_TYPED, purchase: "27,63", perWeek: "1.5" });
    expect(result?.roundUpUsd).toBe(0.37);
    expect([rhythm, errors.perWeek]).toEqual([null, "A whole number, please."]);
    const other = readTyped({ ...FIRST_TYPED, purchase: "abc", typical: "4,98 12" });
    expect([other.result, other.rhythm]).toEqual([null, { perWeek: 15, amounts: [4.98, 12] }]);
  });

  test("has no terms while the limit, or the step that is chosen, cannot be read", () => {
    expect(readTyped({ ...FIRST_TYPED, ceiling: "0" }).terms).toBeNull();
    expect(readTyped({ ...FIRST_TYPED, choice: "custom", increment: "" }).terms).toBeNull();
    expect(readTyped({ ...FIRST_TYPED, increment: "" }).terms).not.toBeNull();
  });
});
