import { describe, expect, test } from "vitest";
import { PLAN_LIST } from "@/app/_components/round-up";
import { yearOf } from "@/app/_landing/year";

describe("a year of a plan", () => {
  test("without amounts every ending counts alike: half a step less half a cent on average", () => {
    for (const { plan, roundToUsd } of PLAN_LIST) {
      const { roundUpUsd, feeUsd, investedUsd } = yearOf(plan, 10, []);
      expect(roundUpUsd).toBeCloseTo(((roundToUsd - 0.01) / 2) * 520, 6);
      expect(feeUsd + investedUsd).toBeCloseTo(roundUpUsd, 6);
    }
  });

  test("with amounts they are repeated; what is skipped is no round-up and costs no network fee", () => {
    const year = yearOf("forest", 2, [4.98, 12]);
    expect(year.roundUpUsd).toBeCloseTo(0.02 * 52, 9);
    expect(year.roundUps).toBe(52);
    expect(yearOf("forest", 5, [3]).roundUps).toBe(0);
  });
});
