import { ceilToCents, isUnderCent, toCents } from "./money";

/** One displayed dollar amount of a sum. */
export interface SumPart {
  /** USD. A part that is taken off is negative. */
  usd: number;
  /** True for a fee or a deposit. It is never displayed lower than it is. */
  cost?: boolean;
}

export interface ShownSum {
  /** USD to display for each part. A part under one cent stays unrounded, is shown as "<$0.01" and counts as zero. */
  parts: number[];
  /** USD in whole cents: the sum of the displayed parts. */
  totalUsd: number;
}

/** Returns the cents that a displayed amount contributes to its column. */
export const toShownCents = (usd: number): number => (isUnderCent(usd) ? 0 : Math.round(toCents(usd) * 100));

/** Rounds half away from zero. toCents alone would round half up, which differs for amounts that are taken off. */
const roundPart = ({ usd, cost = false }: SumPart): number => {
  if (isUnderCent(usd)) return 0;
  return Math.sign(usd) * Math.round((cost ? ceilToCents : toCents)(Math.abs(usd)) * 100);
};

/**
 * Rounds parts to cents so that they add up to the displayed total. Costs round up, other parts to the nearest cent.
 * With a fixed total, the largest part that is no cost absorbs the difference, then the next. Without one, the total is
 * what a person pays: it is never lower than the exact sum, and it grows by the cents that rounding adds.
 * @param fixedUsd a total that the page displays elsewhere too
 */
export function roundToSum(parts: readonly SumPart[], fixedUsd?: number): ShownSum {
  const cents = parts.map(roundPart);
  const sumCents = () => cents.reduce((total, value) => total + value, 0);
  const exact = parts.reduce((total, { usd }) => total + usd, 0);
  let off = Math.round((fixedUsd === undefined ? ceilToCents(exact) : toCents(fixedUsd)) * 100) - sumCents();
  const add = (i: number, change: number) => {
    cents[i]! += change;
    off -= change;
  };
  for (const i of listLargestFirst(parts, true)) {
    const sign = Math.sign(parts[i]!.usd);
    // A cost under one cent is displayed as one cent when the column needs that cent.
    if (cents[i] === 0 && sign * off > 0) add(i, sign);
  }
  const isFixed = fixedUsd !== undefined;
  for (const i of listLargestFirst(parts, false)) {
    if (off > 0) add(i, off);
    else if (off < 0 && isFixed) add(i, Math.max(off, -Math.max(cents[i]!, 0)));
  }
  if (off > 0 && parts.length > 0) add(0, off);
  return {
    parts: parts.map(({ usd }, i) => (cents[i] === 0 && isUnderCent(usd) ? usd : cents[i]! / 100)),
    totalUsd: sumCents() / 100,
  };
}

/** Splits a payment into the displayed USD that arrived and the displayed fee. Together they are what was given. */
export const splitGiven = (arrivedUsd: number, feeUsd: number): number[] =>
  roundToSum([{ usd: arrivedUsd }, { usd: feeUsd, cost: true }], arrivedUsd + feeUsd).parts;

/** Returns the positions of the costs, or of all other parts, by size. For costs the sign does not count. */
const listLargestFirst = (parts: readonly SumPart[], ofCosts: boolean): number[] => {
  const getSize = (i: number) => (ofCosts ? Math.abs(parts[i]!.usd) : parts[i]!.usd);
  return [...parts.keys()].filter((i) => (parts[i]!.cost ?? false) === ofCosts).sort((a, b) => getSize(b) - getSize(a));
};

/** Like roundToSum. Returns null when a part is unknown, because nothing can add up then. */
export function roundKnownToSum(
  parts: readonly { usd: number | null; cost?: boolean }[],
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
