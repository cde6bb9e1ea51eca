import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeMonthlyPace, projectSavings } from "@/lib/domain/projection";
import { DAY_MS, MONTH_MS } from "@/lib/domain/time";

const projectMonth = (month: number, terms: Partial<Parameters<typeof projectSavings>[0]> = {}) =>
  projectSavings({ startMicroUsd: 0n, perMonthMicroUsd: 0n, growthBps: 500n, years: 20, ...terms })[month]!;

describe("projectSavings", () => {
  test("compounds the growth of a starting amount yearly", () => {
    const startMicroUsd = 100_000_000n;
    expect(projectMonth(0, { startMicroUsd }).grownMicroUsd).toBe(100_000_000n);
    expect(projectMonth(6, { startMicroUsd }).grownMicroUsd).toBe(102_500_000n);
    expect(projectMonth(12, { startMicroUsd }).grownMicroUsd).toBe(105_000_000n);
    expect(projectMonth(24, { startMicroUsd }).grownMicroUsd).toBe(110_250_000n);
    expect(projectMonth(12, { startMicroUsd, growthBps: -1_000n }).grownMicroUsd).toBe(90_000_000n);
    expect(projectMonth(240, { startMicroUsd, growthBps: -10_000n }).grownMicroUsd).toBe(0n);
  });

  test("adds growth to monthly deposits from the month they arrive", () => {
    const perMonthMicroUsd = 10_000_000n;
    // 10 dollars a month for 11 + 10 + … + 0 months at 5 % a year.
    expect(projectMonth(12, { perMonthMicroUsd })).toEqual({
      month: 12,
      plainMicroUsd: 120_000_000n,
      grownMicroUsd: 122_750_000n,
    });
    expect(projectMonth(13, { perMonthMicroUsd, growthBps: 0n }).grownMicroUsd).toBe(130_000_000n);
  });

  test("exceeds the deposits with growth and falls below them with losses, in every month", () => {
    const anyMicroUsd = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(
        anyMicroUsd,
        anyMicroUsd,
        fc.bigInt(-10_000n, 10_000n),
        (startMicroUsd, perMonthMicroUsd, growthBps) => {
          const points = projectSavings({ startMicroUsd, perMonthMicroUsd, growthBps, years: 20 });
          return points.every(({ plainMicroUsd, grownMicroUsd }) => {
            const growth = grownMicroUsd - plainMicroUsd;
            return grownMicroUsd >= 0n && (growth === 0n || growth > 0n === growthBps > 0n);
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  test("returns one point per month for a loss of at most 100 %", () => {
    const terms = { startMicroUsd: 1n, perMonthMicroUsd: 1n, years: 5 };
    const months = projectSavings({ ...terms, growthBps: 0n }).map(({ month }) => month);
    expect(months).toEqual(Array.from({ length: 61 }, (_, month) => month));
    expect(() => projectSavings({ ...terms, growthBps: -10_001n })).toThrow(RangeError);
  });
});

test("a monthly pace is rounded down and needs a length above 0", () => {
  expect(computeMonthlyPace(7_000_000n, 7 * DAY_MS)).toBe(30_437_500n);
  expect(computeMonthlyPace(1n, 2 * MONTH_MS)).toBe(0n);
  expect(() => computeMonthlyPace(1n, 0)).toThrow(RangeError);
});
