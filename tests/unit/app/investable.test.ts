import { expect, test } from "vitest";
import { readiness } from "@/app/dashboard/_components/investable";
import { compareWithThreshold } from "@/lib/services/steps/threshold";

const PRICE = 150_000_000n;

test.each([
  ["nothing", 0, 0],
  ["one lamport under the threshold", 33_333_333, 28_000_000],
  ["exactly the threshold", 33_333_334, 28_000_000],
  ["reached, and nothing left to swap", 33_333_334, 0],
  ["far above", 900_000_000, 894_000_000],
])("%s: the page says what a build would, and what it calls missing is enough", (_case, lamports, investable) => {
  const { balanceUsd, reached, remaining } = compareWithThreshold(BigInt(lamports), PRICE, 5);
  const said = readiness({ pendingUsd: balanceUsd, investableLamports: investable }, 5)!;
  expect(said.ready).toBe(reached && investable > 0);
  expect(said.missingUsd).toBeGreaterThanOrEqual(remaining);
  expect(said.missingUsd - remaining).toBeLessThan(0.01);
});

test("without a price nothing is said of readiness", () => {
  expect(readiness({ pendingUsd: null, investableLamports: null }, 5)).toBeNull();
});
