import { parseWithExponent } from "@/lib/domain/money";

/** The lowest and the highest amount on a chart's axis, and its labelled amounts. */
export interface Scale {
  bottom: number;
  top: number;
  /** Two to four round amounts. The last one is at least the largest amount of the chart. */
  ticks: number[];
}

/** Minimum span, as a share of the largest amount. Without it, a change of one cent would fill the chart. */
const MIN_SPAN_SHARE = 0.1;
/** Free space above and below the amounts, as a share of the span. */
const MARGIN_SHARE = 0.1;

/**
 * Returns a scale for amounts of at least 0. Its bottom is 0 unless the smallest amount, with the free space below it,
 * is at least half the largest.
 */
export function computeScale(amounts: readonly number[]): Scale {
  // If all amounts are 0, the axis ends at 1.
  const maxAmount = Math.max(...amounts) || 1;
  const minAmount = Math.min(...amounts);
  const span = Math.max(maxAmount - minAmount, maxAmount * MIN_SPAN_SHARE);
  // A range below the minimum span is widened equally on both sides.
  const bottomWithMargin = (maxAmount + minAmount - span) / 2 - span * MARGIN_SHARE;
  const bottom = bottomWithMargin < maxAmount / 2 ? 0 : bottomWithMargin;
  const top = Math.max(maxAmount, (maxAmount + minAmount + span) / 2) + span * MARGIN_SHARE;
  const ticks = computeTicks(bottom, maxAmount);
  return { bottom, top: Math.max(top, ticks.at(-1)!), ticks };
}

/** The distances between two ticks, as multiples of a power of ten. */
const STEP_FACTORS = [0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10];

/** Returns the round amounts of the smallest step that gives at most four of them. */
function computeTicks(bottom: number, maxAmount: number): number[] {
  const powerOfTen = parseWithExponent("1", Math.floor(Math.log10(maxAmount - bottom)));
  const listMultiples = (step: number) => {
    const firstMultiple = Math.ceil(bottom / step);
    return Array.from(
      { length: Math.ceil(maxAmount / step) - firstMultiple + 1 },
      (_, i) => (firstMultiple + i) * step,
    );
  };
  return STEP_FACTORS.map((factor) => listMultiples(factor * powerOfTen)).find(({ length }) => length <= 4)!;
}

/** Returns the index of the point whose `at` is closest to `position`. Both have the same unit. */
export function findNearestIndex(points: readonly { at: number }[], position: number): number {
  const distances = points.map(({ at }) => Math.abs(at - position));
  return distances.indexOf(Math.min(...distances));
}
