import { fromExponent } from "@/lib/domain/money";

/** The amounts between which a chart is drawn. */
export interface Scale {
  bottom: number;
  top: number;
}

/** The least that a chart spans, as a share of its largest amount. Otherwise a cent would look like a fall. */
const LEAST_SPAN = 0.1;
const MARGIN = 0.1;

/** Returns a scale around amounts of at least 0. It starts at 0 unless all amounts are far from 0. */
export function scaleOf(amounts: readonly number[]): Scale {
  const most = Math.max(...amounts) || 1;
  const least = Math.min(...amounts);
  const span = Math.max(most - least, most * LEAST_SPAN);
  const bottom = (most + least - span) / 2 - span * MARGIN;
  return { bottom: bottom < most / 2 ? 0 : bottom, top: Math.max(most, (most + least + span) / 2) + span * MARGIN };
}

/** Steps between two ticks, as multiples of a power of ten. */
const STEPS = [0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5];

/** Returns two or three round amounts on the scale. */
export function amountTicks({ bottom, top }: Scale): number[] {
  const power = fromExponent("1", Math.floor(Math.log10(top - bottom)));
  const ticks = (step: number) => {
    const first = Math.ceil(bottom / step);
    return Array.from({ length: Math.floor(top / step) - first + 1 }, (_, i) => (first + i) * step);
  };
  return STEPS.map((factor) => ticks(factor * power)).find(({ length }) => length <= 3)!;
}

/** Returns the index of the point closest to `at`. */
export function nearestPoint(points: readonly { at: number }[], at: number): number {
  const distances = points.map((point) => Math.abs(point.at - at));
  return distances.indexOf(Math.min(...distances));
}
