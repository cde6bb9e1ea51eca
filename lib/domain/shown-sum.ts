import { ceilToCents, isUnderCent, roundToCents } from "./money";

/** One displayed dollar amount of a sum. */
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

/** Returns the cents that a displayed amount contributes to its column. */
export const toShownCents = (usd: number): number => (isUnderCent(usd) ? 0 : Math.round(roundToCents(usd) * 100));

/** Returns the cents of one part. */
const roundPart = ({ usd, isCost = false }: SumPart): number =>
  isUnderCent(usd) ? 0 : Math.round((isCost ? ceilToCents : roundToCents)(usd) * 100);

/**
 * The rule of every displayed sum. Costs are rounded up once, as a sum: a cost under one cent is shown as a cent only if
 * that sum needs it, the largest first. Other parts are rounded to the nearest cent. A fixed total is the nearest cent
 * too, and the largest part that is not a cost absorbs the difference, then the next. Without one, the total is what a
 * person pays: it is never lower than the exact sum, and it grows by the cents that rounding adds.
 * @param fixedUsd a total that the page displays elsewhere too
 */
export function roundToSum(parts: readonly SumPart[], fixedUsd?: number): ShownSum {
  const cents = parts.map(roundPart);
  const sumCents = () => cents.reduce((total, value) => total + value, 0);
  raiseSmallCosts(parts, cents);
  const exact = parts.reduce((total, { usd }) => total + usd, 0);
  let off = Math.round((fixedUsd === undefined ? ceilToCents(exact) : roundToCents(fixedUsd)) * 100) - sumCents();
  for (const i of listLargestFirst(parts, false)) {
    const change = Math.max(off, fixedUsd === undefined ? 0 : -cents[i]!);
    cents[i]! += change;
    off -= change;
  }
  return {
    parts: parts.map(({ usd }, i) => (cents[i] === 0 && isUnderCent(usd) ? usd : cents[i]! / 100)),
    totalUsd: sumCents() / 100,
  };
}

/** Shows costs under one cent as a cent until the displayed costs reach their sum, rounded up. Writes to `cents`. */
function raiseSmallCosts(parts: readonly SumPart[], cents: number[]): void {
  const costs = listLargestFirst(parts, true);
  const sumUsd = costs.reduce((sum, i) => sum + parts[i]!.usd, 0);
  let missing = Math.round(ceilToCents(sumUsd) * 100) - costs.reduce((sum, i) => sum + cents[i]!, 0);
  for (const i of costs) {
    if (missing <= 0 || cents[i] !== 0) continue;
    cents[i] = 1;
    missing -= 1;
  }
}

/** Returns the positions of the costs, or of all other parts, by size. */
const listLargestFirst = (parts: readonly SumPart[], ofCosts: boolean): number[] =>
  [...parts.keys()]
    .filter((i) => (parts[i]!.isCost ?? false) === ofCosts)
    .sort((a, b) => parts[b]!.usd - parts[a]!.usd);

/** Like roundToSum. Returns null when a part is unknown, because nothing can add up then. */
export function roundKnownToSum(
  parts: readonly { usd: number | null; isCost?: boolean }[],
  fixedUsd?: number,
): ShownSum | null {
  return parts.every((part): part is SumPart => part.usd !== null) ? roundToSum(parts, fixedUsd) : null;
}

/**
 * Rounds parts so that they add up to their displayed total, which other pages show too. Returns the parts unchanged if
 * one is unknown.
 */
export function roundToAddUp(parts: readonly (number | null)[]): (number | null)[] {
  const known = parts.map((usd) => ({ usd }));
  return (
    roundKnownToSum(
      known,
      known.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
    )?.parts ?? [...parts]
  );
}
