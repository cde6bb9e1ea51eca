import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MONTH_MS, monthlyPace, projection, WEEK_MS } from "@/lib/domain/projection";

const at = (month: number, terms: Partial<Parameters<typeof projection>[0]> = {}) =>
  projection({ startMicroUsd: 0n, perMonthMicroUsd: 0n, growthBps: 500n, years: 20, ...terms })[month]!;

describe("a projection", () => {
  test("of money that lies there is its growth, year by year: 5 % of 5 % too", () => {
    const startMicroUsd = 100_000_000n;
    expect(at(0, { startMicroUsd }).grownMicroUsd).toBe(100_000_000n);
    expect(at(6, { startMicroUsd }).grownMicroUsd).toBe(102_500_000n);
    expect(at(12, { startMicroUsd }).grownMicroUsd).toBe(105_000_000n);
    expect(at(24, { startMicroUsd }).grownMicroUsd).toBe(110_250_000n);
    expect(at(12, { startMicroUsd, growthBps: -1_000n }).grownMicroUsd).toBe(90_000_000n);
    expect(at(240, { startMicroUsd, growthBps: -10_000n }).grownMicroUsd).toBe(0n);
  });

  test("of monthly money counts growth from the month it came in", () => {
    const perMonthMicroUsd = 10_000_000n;
    // 11 + 10 + … + 0 months of 10 dollars at 5 % a year.
    expect(at(12, { perMonthMicroUsd })).toEqual({
      month: 12,
      plainMicroUsd: 120_000_000n,
      grownMicroUsd: 122_750_000n,
    });
    expect(at(13, { perMonthMicroUsd, growthBps: 0n }).grownMicroUsd).toBe(130_000_000n);
  });

  test("is plain money without growth, more with it and less against it, in every month", () => {
    const dollars = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(dollars, dollars, fc.bigInt(-10_000n, 10_000n), (startMicroUsd, perMonthMicroUsd, growthBps) => {
        const points = projection({ startMicroUsd, perMonthMicroUsd, growthBps, years: 20 });
        return points.every(({ plainMicroUsd, grownMicroUsd }) => {
          const growth = grownMicroUsd - plainMicroUsd;
          return grownMicroUsd >= 0n && (growth === 0n || growth > 0n === growthBps > 0n);
        });
      }),
      { numRuns: 30 },
    );
  });

  test("has a point for each month of its years; a loss of more than all is a caller's bug", () => {
    const terms = { startMicroUsd: 1n, perMonthMicroUsd: 1n, years: 5 };
    const months = projection({ ...terms, growthBps: 0n }).map(({ month }) => month);
    expect(months).toEqual(Array.from({ length: 61 }, (_, month) => month));
    expect(() => projection({ ...terms, growthBps: -10_001n })).toThrow(RangeError);
  });
});

test("a pace a month is rounded down, of any length that is one", () => {
  expect(monthlyPace(7_000_000n, WEEK_MS)).toBe(30_437_500n);
  expect(monthlyPace(1n, 2 * MONTH_MS)).toBe(0n);
  expect(() => monthlyPace(1n, 0)).toThrow(RangeError);
});
