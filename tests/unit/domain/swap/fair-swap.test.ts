import fc from "fast-check";
import { expect, test } from "vitest";
import { isFairSwap } from "../../../../lib/domain/swap/fair-swap";

const createSol = (amount: bigint) => ({ amount, decimals: 9, priceUsd: 150 });
const createBtc = (amount: bigint) => ({ amount, decimals: 8, priceUsd: 100_000 });

test("a swap is fair up to a loss of 4 % at 1 % slippage plus one base unit of rounding", () => {
  expect(isFairSwap(createSol(10_000_000_000n), createBtc(1_500_000n), 100)).toBe(true);
  expect(isFairSwap(createSol(10_000_000_000n), createBtc(1_439_999n), 100)).toBe(true);
  expect(isFairSwap(createSol(10_000_000_000n), createBtc(1_439_998n), 100)).toBe(false);
  expect(isFairSwap(createSol(10_000_000_000n), createBtc(1_439_998n), 200)).toBe(true);
});

test("half of the fair output is never fair, except for dust of two base units", () => {
  const property = fc.property(
    fc.bigInt(1n, 10n ** 15n),
    fc.integer({ min: 1, max: 1_000 }),
    (lamports, slippageBps) => {
      const fairOutput = (lamports * 15n) / 100_000n;
      expect(isFairSwap(createSol(lamports), createBtc(fairOutput), slippageBps)).toBe(true);
      if (fairOutput > 4n) expect(isFairSwap(createSol(lamports), createBtc(fairOutput / 2n), slippageBps)).toBe(false);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
