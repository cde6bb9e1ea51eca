import { expect, test } from "vitest";
import { hasOutputFallenBelow } from "@/lib/sdk/flow/swaps";

const swap = (input: number, least: number, asset = "BTC") => ({
  asset,
  inputLamports: input,
  quote: { minimumOutputAmount: `${least}` },
});

test.each([
  ["as much for as much", swap(1_000_000, 1_000_000), false],
  ["a thousandth less, no more", swap(1_000_000, 999_000), false],
  ["less than that", swap(1_000_000, 998_999), true],
  ["more, at a worse price, as more goes in", swap(2_000_000, 1_500_000), true],
  ["more, at the same price", swap(2_000_000, 2_000_000), false],
  ["less, at the same price, as less goes in", swap(500_000, 500_000), true],
  ["what was not there before", swap(1, 1, "ETH"), false],
])("a swap that brings %s", (_what, now, isLess) => {
  expect(hasOutputFallenBelow([now], [swap(1_000_000, 1_000_000)])).toBe(isLess);
});

test("the sum is the same for sales", () => {
  const sale = (inputAmount: string, minimumOutputAmount: string) => ({
    ...{ asset: "BTC", inputAmount, quote: { minimumOutputAmount } },
  });
  expect(hasOutputFallenBelow([sale("2000", "1500000")], [sale("1000", "1000000")])).toBe(true);
  expect(hasOutputFallenBelow([sale("2000", "2000000")], [sale("1000", "1000000")])).toBe(false);
});
