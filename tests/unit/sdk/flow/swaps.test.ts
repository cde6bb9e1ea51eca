import { expect, test } from "vitest";
import { hasOutputFallenBelow } from "@/lib/sdk/flow/swaps";

const swap = (input: number, least: number, asset = "BTC") => ({
  asset,
  inputLamports: input,
  quote: { minimumOutputAmount: `${least}` },
});

test.each([
  ["is the same", swap(1_000_000, 1_000_000), false],
  ["brings a thousandth less", swap(1_000_000, 999_000), false],
  ["brings more than a thousandth less", swap(1_000_000, 998_999), true],
  ["sells more at a worse price", swap(2_000_000, 1_500_000), true],
  ["sells more at the same price", swap(2_000_000, 2_000_000), false],
  ["sells less at the same price", swap(500_000, 500_000), true],
  ["buys a new asset", swap(1, 1, "ETH"), false],
])("hasOutputFallenBelow decides about a swap that %s", (_what, now, isLess) => {
  expect(hasOutputFallenBelow([now], [swap(1_000_000, 1_000_000)])).toBe(isLess);
});

test("hasOutputFallenBelow compares sales by their input amount", () => {
  const sale = (inputAmount: string, minimumOutputAmount: string) => ({
    asset: "BTC",
    inputAmount,
    quote: { minimumOutputAmount },
  });
  expect(hasOutputFallenBelow([sale("2000", "1500000")], [sale("1000", "1000000")])).toBe(true);
  expect(hasOutputFallenBelow([sale("2000", "2000000")], [sale("1000", "1000000")])).toBe(false);
});
