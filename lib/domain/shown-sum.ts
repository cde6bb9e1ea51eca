import { ceilToCents, isUnderCent, MICRO_PER_CENT, roundToCents, toMicroUsd } from "./money";

/** One exact dollar amount of a sum, to be rounded for display. */
export interface SumPart {
  /** USD, at least 0. */
  usd: number;
  /** True for a fee. */
  isCost?: boolean;
}

export interface ShownSum {
  /** USD to display for each part. A part under one cent stays unrounded, is shown as "<$0.01" and counts as zero. */
  parts: number[];
  /** USD in whole cents: the sum of the displayed parts. */
  totalUsd: number;
}

/** Returns the cents that a displayed amount contributes to the displayed sum. */
export const toShownCents = (usd: number): number => (isUnderCent(usd) ? 0 : Math.round(roundToCents(usd) * 100));

/** Rounds one part to cents: a cost up, any other part to the nearest cent. Returns 0 for a part under one cent. */
const roundPart = ({ usd, isCost = false }: SumPart): number =>
  isUnderCent(usd) ? 0 : Math.round((isCost ? ceilToCents : roundToCents)(usd) * 100);

/**
 * Rounds the parts of a displayed sum so that they add up to the displayed total.
 * - Costs are rounded up. A cost under one cent is shown as a cent only if the rounded sum of all costs needs that
 *   cent. The largest of these costs gets a cent first.
 * - Other parts are rounded to the nearest cent.
 * - A fixed total is rounded to the nearest cent. The largest part that is not a cost absorbs the difference, then the
 *   next largest.
 * - Without a fixed total, the total is the amount that a person pays. It is never lower than the exact sum, and it
 *   includes the cents that rounding adds.
 * @param fixedTotalUsd a total that the page also displays elsewhere
 */
export function roundToSum(parts: readonly SumPart[], fixedTotalUsd?: number): ShownSum {
  const cents = parts.map(roundPart);
  const sumCents = () => cents.reduce((total, value) => total + value, 0);
  raiseSmallCosts(parts, cents);
  const exactUsd = parts.reduce((total, { usd }) => total + usd, 0);
  const targetUsd = fixedTotalUsd === undefined ? ceilToCents(exactUsd) : roundToCents(fixedTotalUsd);
  let missingCents = Math.round(targetUsd * 100) - sumCents();
  for (const i of listLargestFirst(parts, false)) {
    const addedCents = Math.max(missingCents, fixedTotalUsd === undefined ? 0 : -cents[i]!);
    cents[i]! += addedCents;
    missingCents -= addedCents;
  }
  return {
    parts: parts.map(({ usd }, i) => (cents[i] === 0 && isUnderCent(usd) ? usd : cents[i]! / 100)),
    totalUsd: sumCents() / 100,
  };
}

/** Sets costs under one cent to a cent, the largest first, until `cents` of the costs reach their rounded-up sum. */
function raiseSmallCosts(parts: readonly SumPart[], cents: number[]): void {
  const costs = listLargestFirst(parts, true);
  const sumUsd = costs.reduce((sum, i) => sum + parts[i]!.usd, 0);
  let missingCents = Math.round(ceilToCents(sumUsd) * 100) - costs.reduce((sum, i) => sum + cents[i]!, 0);
  for (const i of costs) {
    if (missingCents <= 0 || cents[i] !== 0) continue;
    cents[i] = 1;
    missingCents -= 1;
  }
}

/** Returns the indexes of the costs, or of all other parts, largest first. */
const listLargestFirst = (parts: readonly SumPart[], areCosts: boolean): number[] =>
  [...parts.keys()]
    .filter((i) => (parts[i]!.isCost ?? false) === areCosts)
    .sort((a, b) => parts[b]!.usd - parts[a]!.usd);

/** Rounds as roundToSum does. Returns null when a part is unknown, because the parts cannot add up then. */
export function roundKnownToSum(
  parts: readonly { usd: number | null; isCost?: boolean }[],
  fixedTotalUsd?: number,
): ShownSum | null {
  return parts.every((part): part is SumPart => part.usd !== null) ? roundToSum(parts, fixedTotalUsd) : null;
}

/**
 * Rounds dollar amounts so that they add up to their sum rounded to the nearest cent, which other pages also show. A sum
 * under one cent stays unrounded, and so do its amounts. An unknown amount stays null, and the others add up to their
 * own sum.
 */
export function roundToAddUp(amounts: readonly (number | null)[]): (number | null)[] {
  const knownUsd = amounts.filter((usd) => usd !== null);
  const totalUsd = knownUsd.reduce((sum, usd) => sum + usd, 0);
  if (isUnderCent(totalUsd)) return [...amounts];
  const { parts } = roundToSum(
    knownUsd.map((usd) => ({ usd })),
    totalUsd,
  );
  return amounts.map((usd) => (usd === null ? null : parts.shift()!));
}

/**
 * Rounds each amount of a long list up or down to a cent, so that they add up to the displayed sum. The amounts with
 * the largest remainders are rounded up. An amount that would become zero stays unrounded, as in ShownSum.
 */
export function roundEachToAddUp(amounts: readonly number[]): number[] {
  const remainders = amounts.map((usd) => toMicroUsd(usd) % MICRO_PER_CENT);
  const cents = amounts.map((usd) => Number(toMicroUsd(usd) / MICRO_PER_CENT));
  const sumUsd = amounts.reduce((sum, usd) => sum + usd, 0);
  const missingCents = toShownCents(sumUsd) - cents.reduce((sum, value) => sum + value, 0);
  const largestRemainderFirst = [...amounts.keys()].sort((a, b) => Number(remainders[b]! - remainders[a]!));
  for (const i of largestRemainderFirst.slice(0, missingCents)) cents[i]! += 1;
  return amounts.map((usd, i) => (cents[i] === 0 ? usd : cents[i]! / 100));
}
