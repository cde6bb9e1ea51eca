import { expect, test } from "vitest";
import { sumShown } from "@/app/_components/money";

test("a sum is that of the parts as they are shown, so that it adds up to the eye", () => {
  expect(sumShown([8.0944, 0.0211])).toBeCloseTo(8.11, 9);
  expect(sumShown([6.9968, 0.3567])).toBeCloseTo(7.36, 9);
  expect(sumShown([2.49, 0.007])).toBeCloseTo(2.497, 9);
});

test("of what is not known in part there is no sum", () => {
  expect(sumShown([1, null])).toBeNull();
});
