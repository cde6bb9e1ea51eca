import { expect, test } from "vitest";
import { hasOutputFallenBelow } from "@/lib/sdk/flow/swaps";

const createSwap = (inputLamports: number, minimumOutput: number, asset = "BTC") => ({
  asset,
  inputLamports,
  quote: { minimumOutputAmount: `${minimumOutput}` },
});

test.each([
  ["the same output for the same input", createSwap(1_000_000, 1_000_000), false],
  ["0.1 % less output", createSwap(1_000_000, 999_000), false],
  ["over 0.1 % less output", createSwap(1_000_000, 998_999), true],
  ["more output at a worse price", createSwap(2_000_000, 1_500_000), true],
  ["more output at the same price", createSwap(2_000_000, 2_000_000), false],
  ["less output at the same price", createSwap(500_000, 500_000), true],
  ["another asset", createSwap(1, 1, "ETH"), false],
])("a swap with %s is compared with the previous swap of the asset", (_caseName, newSwap, hasFallen) => {
  expect(hasOutputFallenBelow([newSwap], [createSwap(1_000_000, 1_000_000)])).toBe(hasFallen);
});

test("sales are compared as purchases are", () => {
  const createSale = (inputAmount: string, minimumOutputAmount: string) => ({
    asset: "BTC",
    inputAmount,
    quote: { minimumOutputAmount },
  });
  expect(hasOutputFallenBelow([createSale("2000", "1500000")], [createSale("1000", "1000000")])).toBe(true);
  expect(hasOutputFallenBelow([createSale("2000", "2000000")], [createSale("1000", "1000000")])).toBe(false);
});
