import { BPS, share } from "./money";

const MONTHS = 12n;

export const WEEK_MS = 604_800_000;
/** A twelfth of 365.25 days. */
export const MONTH_MS = 2_629_800_000;

/** What somebody puts in by and by, micro-dollars a month. */
export interface Pace {
  perMonthMicroUsd: bigint;
}

/** `microUsd` in so many milliseconds as micro-dollars a month, rounded down. @throws {RangeError} on a length that is not positive */
export function monthlyPace(microUsd: bigint, lengthMs: number): bigint {
  if (lengthMs <= 0) throw new RangeError("a pace needs some time");
  return (microUsd * BigInt(MONTH_MS)) / BigInt(Math.ceil(lengthMs));
}

export interface ProjectedPoint {
  month: number;
  /** Without any growth. */
  plainMicroUsd: bigint;
  /** With it; the growth of each year rounded towards 0. */
  grownMicroUsd: bigint;
}

interface Assumptions extends Pace {
  /** What is there at the beginning. */
  startMicroUsd: bigint;
  /** Basis points a year, -10,000 or more; an assumption, as nobody knows it. */
  growthBps: bigint;
  /** Whole years. */
  years: number;
}

/**
 * A point for each month from now, 12 · years + 1 of them. Money comes in at the end of a month; growth counts for so many
 * months as money has lain there, and is added once a year, so that `growthBps` is what a whole year brings.
 * @throws {RangeError} on a growth below -100 %
 */
export function projection({ startMicroUsd, perMonthMicroUsd, growthBps, years }: Assumptions): ProjectedPoint[] {
  if (growthBps < -BPS) throw new RangeError("nothing loses more than all of it");
  const points: ProjectedPoint[] = [];
  let atNewYear = startMicroUsd;
  for (let month = 0; month <= 12 * years; month++) {
    const months = BigInt(month % 12);
    const plainMicroUsd = startMicroUsd + perMonthMicroUsd * BigInt(month);
    points.push({ month, plainMicroUsd, grownMicroUsd: grown(atNewYear, perMonthMicroUsd, months, growthBps) });
    if (months === 11n) atNewYear = grown(atNewYear, perMonthMicroUsd, MONTHS, growthBps);
  }
  return points;
}

/** Within one year: what was there at its beginning and what came in since, and the growth of both for their months. */
function grown(atNewYear: bigint, perMonth: bigint, months: bigint, growthBps: bigint): bigint {
  const monthsOfMoney = atNewYear * months + (perMonth * months * (months - 1n)) / 2n;
  const growth = share(monthsOfMoney, growthBps) / MONTHS;
  return atNewYear + perMonth * months + growth;
}
