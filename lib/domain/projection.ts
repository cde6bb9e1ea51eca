import { applyBps, BPS } from "./money";
import { MONTH_MS } from "./time";

const MONTHS_PER_YEAR = 12n;

/** Regular savings in micro-dollars per month. */
export interface Pace {
  perMonthMicroUsd: bigint;
}

/** Converts an amount saved in `durationMs` to a monthly one, rounded down. @throws {RangeError} unless durationMs > 0 */
export function computeMonthlyPace(microUsd: bigint, durationMs: number): bigint {
  if (durationMs <= 0) throw new RangeError("the duration must be positive");
  return (microUsd * BigInt(MONTH_MS)) / BigInt(Math.ceil(durationMs));
}

export interface ProjectedPoint {
  /** Months from now. */
  month: number;
  /** Value without growth. */
  plainMicroUsd: bigint;
  /** Value with growth. Each year's growth rounds towards 0. */
  grownMicroUsd: bigint;
}

interface Assumptions extends Pace {
  startMicroUsd: bigint;
  /** Assumed yearly growth in basis points, -10,000 or more. */
  growthBps: bigint;
  /** Whole years. */
  years: number;
}

/**
 * Projects savings month by month and returns 12 · years + 1 points, starting now. Deposits arrive at the end of a
 * month. Growth accrues for each month that money has been deposited and is added once a year, so `growthBps` is the
 * yearly rate.
 * @throws {RangeError} on a growth below -100 %
 */
export function projectSavings({ startMicroUsd, perMonthMicroUsd, growthBps, years }: Assumptions): ProjectedPoint[] {
  if (growthBps < -BPS) throw new RangeError("growth must be at least -100 %");
  const points: ProjectedPoint[] = [];
  let yearStartMicroUsd = startMicroUsd;
  for (let month = 0; month <= 12 * years; month++) {
    const monthsIntoYear = BigInt(month % 12);
    const plainMicroUsd = startMicroUsd + perMonthMicroUsd * BigInt(month);
    points.push({
      month,
      plainMicroUsd,
      grownMicroUsd: computeGrownValue(yearStartMicroUsd, perMonthMicroUsd, monthsIntoYear, growthBps),
    });
    if (monthsIntoYear === 11n)
      yearStartMicroUsd = computeGrownValue(yearStartMicroUsd, perMonthMicroUsd, MONTHS_PER_YEAR, growthBps);
  }
  return points;
}

/** Returns the value `months` into a year: the value at its start and the deposits since, each with its growth. */
function computeGrownValue(
  yearStartMicroUsd: bigint,
  perMonthMicroUsd: bigint,
  months: bigint,
  growthBps: bigint,
): bigint {
  const microUsdMonths = yearStartMicroUsd * months + (perMonthMicroUsd * months * (months - 1n)) / 2n;
  const growthMicroUsd = applyBps(microUsdMonths, growthBps) / MONTHS_PER_YEAR;
  return yearStartMicroUsd + perMonthMicroUsd * months + growthMicroUsd;
}
