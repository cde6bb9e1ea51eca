import fc from "fast-check";
import { expect, test } from "vitest";
import { computeScale, computeTicks, findNearestIndex } from "@/app/_components/chart-scale";

test.each([
  [
    [0, 10.44],
    [0, 5, 10],
  ],
  [
    [0, 0],
    [0, 0.5, 1],
  ],
  [
    [9.9, 10.5],
    [10, 10.5],
  ],
])("labels the axis of %j with round amounts", (amounts, ticks) => {
  expect(computeTicks(computeScale(amounts)).map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
});

test("fits amounts of any size between two or three ticks", () => {
  const amount = fc.double({ min: 0, max: 1e9, noNaN: true }).map((usd) => Math.round(usd * 1e6) / 1e6);
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1, maxLength: 5 }), (amounts) => {
      const { bottom, top } = computeScale(amounts);
      expect(Math.min(...amounts)).toBeGreaterThanOrEqual(bottom);
      expect(Math.max(...amounts)).toBeLessThan(top);
      const { length } = computeTicks({ bottom, top });
      expect(length === 2 || length === 3).toBe(true);
    }),
  );
});

test("finds the point closest to the pointer", () => {
  const points = [0, 10, 90].map((at) => ({ at }));
  expect([-5, 4, 6, 51, 200].map((at) => findNearestIndex(points, at))).toEqual([0, 0, 1, 2, 2]);
});
