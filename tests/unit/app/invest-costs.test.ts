import { expect, test } from "vitest";
import { computeCosts, hasHeavyCosts, roundInvestment } from "@/app/dashboard/invest/_components/invest-costs";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

/** Creates a swap of 0.01 SOL at $150 into this many dollars of BTC. Its deposit is a fifth of the amount. */
function createBuild(outputUsd: number): SwapBuild {
  const quote = {
    outputAmount: String(Math.round(outputUsd * 1e3)),
    outputDecimals: 8,
    priceUsd: 100_000,
    priceImpact: 0,
  };
  const costs = { networkFeeLamports: 5_000, tokenAccountDepositLamports: 2_039_280, reserveLamports: 890_880 };
  const transactions = [{ asset: "BTC", inputLamports: 10_000_000, quote }];
  return { payWith: "SOL", prices: { SOL: 150 }, costs, transactions } as unknown as SwapBuild;
}

test("the review warns when costs without deposits exceed 3 %", () => {
  expect(hasHeavyCosts(computeCosts(createBuild(1.5)))).toBe(false);
  expect(hasHeavyCosts(computeCosts(createBuild(1.46)))).toBe(false);
  expect(hasHeavyCosts(computeCosts(createBuild(1.45)))).toBe(true);
});

test("several swaps add up to the invested amount, and everything to the total", () => {
  const build = createBuild(1.5);
  const [swap] = build.transactions;
  const transactions = [swap!, swap!].map((part) => ({ ...part, inputLamports: 10_030_000 }));
  expect(roundInvestment({ ...build, transactions }, 150)).toEqual({
    swapsUsd: [1.5, 1.5],
    swappedUsd: 3,
    feeUsd: 0.01,
    depositUsd: 0.31,
    totalUsd: 3.32,
  });
  expect(roundInvestment({ ...build, transactions }, null)).toBeNull();
});

test("an investment with USDC counts a unit as a micro-dollar, and its costs in SOL beside it", () => {
  const { transactions, ...build } = createBuild(1.5);
  const usdcBuild: SwapBuild = {
    ...build,
    payWith: "USDC",
    transactions: transactions.map((swap) => ({ ...swap, inputLamports: 0, inputAmount: "1530000" })),
  };
  expect(computeCosts(usdcBuild).lostShare).toBeCloseTo((0.03 + 0.00075) / 1.53, 6);
  expect(roundInvestment(usdcBuild, 150)).toMatchObject({
    swappedUsd: 1.53,
    feeUsd: 0.01,
    depositUsd: 0.31,
    totalUsd: 1.85,
  });
});
