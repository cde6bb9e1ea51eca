import { describe, expect, test } from "vitest";
import { computeReadiness } from "@/app/dashboard/_components/investable";
import { lamportsToMicroUsd, lamportsToUsd } from "@/lib/domain/money";
import { compareWithThreshold } from "@/lib/services/steps/swap/threshold";

/** Micro-dollars per SOL. */
const PRICE_MICRO_USD = 150_000_000n;
/** Lamports that a wallet needs for its first coin: two token account minimums, its own minimum, and fees. */
const COSTS = 890_880 + 2 * 2_039_280 + 5_000;

const computeState = (lamports: number, thresholdUsd: number) => {
  const comparison = compareWithThreshold(BigInt(lamports), PRICE_MICRO_USD, thresholdUsd);
  const investable = Math.max(0, lamports - COSTS);
  const pending = { pendingLamports: lamports, pendingUsd: comparison.balanceUsd, solPriceUsd: 150 };
  return {
    readiness: computeReadiness({ ...pending, investableLamports: investable }, thresholdUsd)!,
    isReached: comparison.isReached,
    remainingUsd: comparison.remainingUsd,
    investable,
  };
};

describe("the readiness on the page", () => {
  test.each([
    ["an empty wallet", 0, 5],
    ["one lamport under the threshold", 33_333_333, 5],
    ["exactly the threshold", 33_333_334, 5],
    ["far more than the threshold", 900_000_000, 5],
    ["a low threshold that is reached, with nothing left to swap", 4_000_000, 0.5],
    ["a low threshold that is reached, with one lamport to swap", COSTS + 1, 0.5],
    ["a low threshold that is not reached", 1_000_000, 0.5],
  ])("agrees with the build of the service for %s", (_case, lamports, thresholdUsd) => {
    const { readiness, isReached, remainingUsd, investable } = computeState(lamports, thresholdUsd);
    expect(readiness.ready).toBe(isReached && investable > 0);
    expect(readiness.missingUsd > 0).toBe(!readiness.ready);
    expect(readiness.missingUsd).toBeGreaterThanOrEqual(remainingUsd);
  });
});

test.each([
  [0, 5],
  [33_333_333, 5],
  [4_000_000, 0.5],
  [0, 0.5],
])("the missing amount is enough to invest for %i lamports and a threshold of $%f", (lamports, thresholdUsd) => {
  const { readiness } = computeState(lamports, thresholdUsd);
  const toppedUp = lamports + Math.ceil((readiness.missingUsd / 150) * 1e9);
  expect(computeState(toppedUp, thresholdUsd).readiness.ready).toBe(true);
  const neededUsd =
    Math.max(thresholdUsd, lamportsToUsd(COSTS, 150)) -
    Number(lamportsToMicroUsd(BigInt(lamports), PRICE_MICRO_USD)) / 1e6;
  expect(readiness.missingUsd - neededUsd).toBeLessThan(0.05);
});

test.each([
  [33_300_000, 5],
  [4_900_000, 0.5],
])("the saved and the missing amount add up to the goal for %i lamports and a threshold of $%f", (lamports, usd) => {
  const { readiness } = computeState(lamports, usd);
  expect(readiness.ready).toBe(false);
  expect(readiness.savedUsd).toBeLessThan(readiness.goalUsd);
  expect(readiness.savedUsd + readiness.missingUsd).toBeCloseTo(readiness.goalUsd, 9);
});

test("the readiness is null without a price", () => {
  const pending = { pendingLamports: 1, pendingUsd: null, investableLamports: null, solPriceUsd: null };
  expect(computeReadiness(pending, 5)).toBeNull();
});
