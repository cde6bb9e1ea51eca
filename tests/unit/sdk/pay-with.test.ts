import { expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { computeUsdcUsd, suggestPayWith } from "@/lib/sdk/pay-with";

const createHoldings = (priceUsd: number | null, mint = ASSETS.USDC.mint) => ({
  balances: [
    { mint: ASSETS.BTC.mint, amount: "7", priceUsd: 100_000 },
    { mint, amount: "5000001", priceUsd },
  ],
});

test.each([
  [1, 5.000001],
  [0.99, 5.000001],
  [0.9899, 0],
  [1.0101, 0],
  [null, 0],
])("USDC at a price of %s counts as %d dollars", (priceUsd, usdcUsd) => {
  expect(computeUsdcUsd(createHoldings(priceUsd))).toBe(usdcUsd);
});

test("only USDC itself counts, not USDT", () => {
  expect(computeUsdcUsd(createHoldings(1, ASSETS.USDT.mint))).toBe(0);
});

test.each([
  ["USDC", 5, ["BTC"]],
  ["SOL", 4.999999, ["BTC"]],
  ["USDC", 5, ["BTC", "SOL"]],
  ["SOL", 500, ["BTC", "USDC"]],
] as const)("%s pays with %d dollars of USDC towards a threshold of 5, for %s", (payWith, usdcUsd, assets) => {
  const allocations = assets.map((asset) => ({ asset, pct: 100 / assets.length }));
  expect(suggestPayWith(usdcUsd, allocations, 5)).toBe(payWith);
});
