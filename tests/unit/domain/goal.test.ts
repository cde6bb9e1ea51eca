import { describe, expect, test } from "vitest";
import { computeGoalOutlook } from "@/lib/domain/goal";
import { MONTH_MS } from "@/lib/domain/time";

const usd = (dollars: number) => BigInt(dollars) * 1_000_000n;
const FACTS = {
  amountMicroUsd: usd(500),
  worthMicroUsd: usd(200),
  perMonthMicroUsd: usd(30),
  timeLeftMs: 10 * MONTH_MS,
};

describe("computeGoalOutlook", () => {
  test("reports on-track if the pace alone reaches the goal by its day, exact to the micro-dollar", () => {
    expect(computeGoalOutlook(FACTS)).toEqual({
      state: "on-track",
      missingMicroUsd: usd(300),
      morePerMonthMicroUsd: 0n,
    });
    const slower = { ...FACTS, perMonthMicroUsd: usd(30) - 1n };
    expect(computeGoalOutlook(slower)).toMatchObject({ state: "behind", morePerMonthMicroUsd: 1n });
  });

  test("reports behind with an extra monthly amount that suffices", () => {
    const facts = { ...FACTS, perMonthMicroUsd: usd(10), timeLeftMs: 7 * MONTH_MS };
    const { state, morePerMonthMicroUsd } = computeGoalOutlook(facts);
    expect([state, morePerMonthMicroUsd]).toEqual(["behind", 32_857_143n]);
    const enough = { ...facts, perMonthMicroUsd: usd(10) + morePerMonthMicroUsd };
    expect(computeGoalOutlook(enough).state).toBe("on-track");
  });

  test("returns the whole gap after the pace if less than a month is left", () => {
    const facts = { ...FACTS, timeLeftMs: MONTH_MS / 2 };
    expect(computeGoalOutlook(facts)).toMatchObject({ state: "behind", morePerMonthMicroUsd: usd(285) });
  });

  test("reports overdue with the missing amount after the day", () => {
    expect(computeGoalOutlook({ ...FACTS, perMonthMicroUsd: 0n }).morePerMonthMicroUsd).toBe(usd(30));
    expect(computeGoalOutlook({ ...FACTS, timeLeftMs: -1 })).toMatchObject({
      state: "overdue",
      missingMicroUsd: usd(300),
    });
  });

  test("reports reached if the savings suffice, before and after the day", () => {
    for (const timeLeftMs of [-MONTH_MS, MONTH_MS]) {
      expect(computeGoalOutlook({ ...FACTS, worthMicroUsd: usd(500), timeLeftMs }).state).toBe("reached");
    }
  });
});
