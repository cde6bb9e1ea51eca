import { expect, test } from "vitest";
import { addingUp, coinsText, sumShown, usdTickText } from "@/app/_components/money";

test("sums parts as displayed, so that the column visibly adds up", () => {
  expect(sumShown([8.0944, 0.0211])).toBeCloseTo(8.11, 9);
  expect(sumShown([6.9968, 0.3567])).toBeCloseTo(7.36, 9);
  expect(sumShown([2.49, 0.007])).toBeCloseTo(2.497, 9);
});

test("makes parts add up to a given total by adjusting the last part that is not tiny", () => {
  expect(addingUp([9.6856, 0.5267, 0.3556])).toEqual([9.69, 0.53, 0.35]);
  expect(addingUp([9.2444, 0.3544])).toEqual([9.24, 0.36]);
  expect(addingUp([9.6856, 0.5267, 0.0044])).toEqual([9.69, 0.53, 0.0044]);
  expect(addingUp([1.004, 1.0055], -0.0009)).toEqual([1, 1.01]);
  expect(addingUp([0.004, 0.003])).toEqual([0.004, 0.003]);
  expect(addingUp([1.004, null])).toEqual([1.004, null]);
});

test("returns no sum when one part is unknown", () => {
  expect(sumShown([1, null])).toBeNull();
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
  "shows %s base units with %s decimals as %s coins: at most six significant digits, rounded down",
  (amount, decimals, text) => {
    expect(coinsText(amount, decimals)).toBe(text);
  },
);

test("labels an axis alike in Node and in browsers, without needless decimals", () => {
  expect([0, 2.5, 10, 2_500, 4_000].map(usdTickText)).toEqual(["$0", "$2.50", "$10", "$2.5K", "$4K"]);
});
