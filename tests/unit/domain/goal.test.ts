import { describe, expect, test } from "vitest";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { MONTH_MS } from "@/lib/domain/time";

const toMicroUsd = (dollars: number) => BigInt(dollars) * 1_000_000n;
const GOAL_FACTS = {
  amountMicroUsd: toMicroUsd(500),
  worthMicroUsd: toMicroUsd(200),
  perMonthMicroUsd: toMicroUsd(30),
  timeLeftMs: 10 * MONTH_MS,
};

describe("computeGoalOutlook", () => {
  test("reports the goal as on-track if the pace alone reaches it by its day, exact to the micro-dollar", () => {
    expect(computeGoalOutlook(GOAL_FACTS)).toEqual({
      state: "on-track",
      missingMicroUsd: toMicroUsd(300),
      morePerMonthMicroUsd: 0n,
    });
    const slowerFacts = { ...GOAL_FACTS, perMonthMicroUsd: toMicroUsd(30) - 1n };
    expect(computeGoalOutlook(slowerFacts)).toMatchObject({ state: "behind", morePerMonthMicroUsd: 1n });
  });

  test("reports the goal as behind, with an extra monthly amount that suffices", () => {
    const facts = { ...GOAL_FACTS, perMonthMicroUsd: toMicroUsd(10), timeLeftMs: 7 * MONTH_MS };
    const { state, morePerMonthMicroUsd } = computeGoalOutlook(facts);
    expect([state, morePerMonthMicroUsd]).toEqual(["behind", 32_857_143n]);
    const fasterFacts = { ...facts, perMonthMicroUsd: toMicroUsd(10) + morePerMonthMicroUsd };
    expect(computeGoalOutlook(fasterFacts).state).toBe("on-track");
  });

  test("returns the whole gap after the pace if less than a month is left", () => {
    const facts = { ...GOAL_FACTS, timeLeftMs: MONTH_MS / 2 };
    expect(computeGoalOutlook(facts)).toMatchObject({ state: "behind", morePerMonthMicroUsd: toMicroUsd(285) });
  });

  test("reports the goal as overdue after its day, with the missing amount", () => {
    expect(computeGoalOutlook({ ...GOAL_FACTS, perMonthMicroUsd: 0n }).morePerMonthMicroUsd).toBe(toMicroUsd(30));
    expect(computeGoalOutlook({ ...GOAL_FACTS, timeLeftMs: -1 })).toMatchObject({
      state: "overdue",
      missingMicroUsd: toMicroUsd(300),
    });
  });

  test("reports the goal as reached if the savings suffice, before and after its day", () => {
    for (const timeLeftMs of [-MONTH_MS, MONTH_MS]) {
      expect(computeGoalOutlook({ ...GOAL_FACTS, worthMicroUsd: toMicroUsd(500), timeLeftMs }).state).toBe("reached");
    }
  });
});
