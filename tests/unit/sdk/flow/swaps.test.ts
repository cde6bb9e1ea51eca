import { expect, test } from "vitest";
import { hasOutputFallenBelow } from "@/lib/sdk/flow/swaps";

const createSwap = (inputAmount: number, minimumOutput: number, asset = "BTC") => ({
  asset,
  inputAmount: `${inputAmount}`,
  quote: { minimumOutputAmount: `${minimumOutput}` },
});

test.each<[string, boolean, ReturnType<typeof createSwap>]>([
  ["the same output for the same input", false, createSwap(1_000_000, 1_000_000)],
  ["0.1 % less output", false, createSwap(1_000_000, 999_000)],
  ["over 0.1 % less output", true, createSwap(1_000_000, 998_999)],
  ["more output at a worse price", true, createSwap(2_000_000, 1_500_000)],
  ["more output at the same price", false, createSwap(2_000_000, 2_000_000)],
  ["less output at the same price", true, createSwap(500_000, 500_000)],
  ["another asset", false, createSwap(1, 1, "ETH")],
])("the output of a swap with %s has fallen below that of the previous swap: %s", (_caseName, hasFallen, newSwap) => {
  expect(hasOutputFallenBelow([newSwap], [createSwap(1_000_000, 1_000_000)])).toBe(hasFallen);
});
