import { expect, test } from "vitest";
import { computeCosts, isHeavy } from "@/app/dashboard/invest/_components/invest-costs";
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
  return { balanceSol: 0.1, balanceUsd: 15, costs, transactions } as unknown as SwapBuild;
}

test("warns when costs without deposits exceed 3 %", () => {
  expect(isHeavy(computeCosts(createBuild(1.5)))).toBe(false);
  expect(isHeavy(computeCosts(createBuild(1.46)))).toBe(false);
  expect(isHeavy(computeCosts(createBuild(1.45)))).toBe(true);
});
