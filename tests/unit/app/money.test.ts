import { expect, test } from "vitest";
import { addingUp, sumShown } from "@/app/_components/money";

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
