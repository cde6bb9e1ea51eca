import { expect, test } from "vitest";
import { formatCoins } from "@/app/_components/coins";
import { formatTickUsd, formatUsd } from "@/app/_components/money";

test.each([
  [0, "$0.00"],
  [0.0044, "<$0.01"],
  [-0.0044, "-<$0.01"],
  [0.01, "$0.01"],
  [1234.5, "$1,234.50"],
  [8.77499995, "$8.78"],
])("the page displays %f as %s", (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});

test.each([
  ["4225", 8, "0.00004225"],
  ["123456789", 8, "1.23456"],
  ["1234567", 9, "0.00123456"],
  ["-40453999", 9, "−0.0404539"],
  ["1234567899999", 6, "1,234,567"],
  ["1000000", 6, "1"],
  ["0", 8, "0"],
])(
  "the page displays %s base units with %s decimals as %s coins, rounded down to six digits",
  (amount, decimals, text) => {
    expect(formatCoins(amount, decimals)).toBe(text);
  },
);

test("a chart labels its axis without needless decimals", () => {
  expect([0, 2.5, 10, 2_500, 4_000].map(formatTickUsd)).toEqual(["$0", "$2.50", "$10", "$2.5K", "$4K"]);
});
