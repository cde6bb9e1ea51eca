import fc from "fast-check";
import { expect, test } from "vitest";
import { computeScale, findNearestIndex } from "@/app/_components/chart-scale";

test.each([
  { amounts: [0, 10.44], ticks: [0, 5, 10, 15] },
  { amounts: [0, 8.57], ticks: [0, 5, 10] },
  { amounts: [0, 0], ticks: [0, 0.5, 1] },
  { amounts: [9.9, 10.5], ticks: [9.75, 10, 10.25, 10.5] },
])("the axis of $amounts has the round amounts $ticks", ({ amounts, ticks }) => {
  expect(computeScale(amounts).ticks.map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
});

test("the axis has two to four ticks, and the highest is at or above every amount of the chart", () => {
  const anyAmount = fc.double({ min: 0, max: 1e9, noNaN: true }).map((usd) => Math.round(usd * 1e6) / 1e6);
  fc.assert(
    fc.property(fc.array(anyAmount, { minLength: 1, maxLength: 5 }), (amounts) => {
      const { bottom, top, ticks } = computeScale(amounts);
      expect(Math.min(...amounts)).toBeGreaterThanOrEqual(bottom);
      expect(Math.max(...amounts)).toBeLessThanOrEqual(top);
      expect(ticks.at(-1)! * (1 + Number.EPSILON)).toBeGreaterThanOrEqual(Math.max(...amounts));
      expect(ticks.at(-1)).toBeLessThanOrEqual(top);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(4);
    }),
  );
});

test("the chart finds the point closest to the pointer", () => {
  const points = [0, 10, 90].map((at) => ({ at }));
  expect([-5, 4, 6, 51, 200].map((at) => findNearestIndex(points, at))).toEqual([0, 0, 1, 2, 2]);
});
