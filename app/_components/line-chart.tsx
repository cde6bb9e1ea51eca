"use client";

import { type PointerEvent, useEffect, useRef } from "react";
import { parseWithExponent } from "@/lib/domain/money";
import { formatTickUsd } from "./money";

/** Units of the view box. */
const [WIDTH, HEIGHT] = [600, 200];

interface LinePoint {
  /** Position from left to right, in any unit. */
  at: number;
  /** USD, at least 0. The area below is filled. */
  solidUsd: number;
  /** USD, at least 0. */
  dashedUsd: number;
}

interface Props {
  title: string;
  points: LinePoint[];
  activeIndex: number | null;
  onActive: (index: number | null) => void;
  describe: (point: LinePoint) => string;
  formatTick: (at: number) => string;
  /** CSS classes that set the height of the plot. */
  className: string;
}

/** Pointer, touch and arrow keys move a crosshair. It leaves with the pointer or the focus, or when a touch scrolls. */
export function LineChart({ title, points, activeIndex, onActive, describe, formatTick, className }: Props) {
  const scale = computeScale(points.flatMap(({ solidUsd, dashedUsd }) => [solidUsd, dashedUsd]));
  const [firstAt, lastAt] = [points[0]!.at, points.at(-1)!.at];
  const toRatio = (at: number) => (at - firstAt) / (lastAt - firstAt || 1);
  const toHeight = (usd: number) => (scale.top - usd) / (scale.top - scale.bottom);
  const drawPath = (line: "solidUsd" | "dashedUsd") =>
    `M${points.map((point) => `${(toRatio(point.at) * WIDTH).toFixed(1)} ${(toHeight(point[line]) * HEIGHT).toFixed(1)}`).join("L")}`;
  const activePoint = activeIndex === null ? null : points[activeIndex];
  const moveCrosshair = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onActive(findNearestIndex(points, firstAt + ((event.clientX - left) / width) * (lastAt - firstAt)));
  };
  const lastIndex = points.length - 1;
  const plotRef = useCrosshairReset(activeIndex !== null, onActive);
  const sliderRef = useRef<HTMLInputElement>(null);
  return (
    <div>
      <div
        ref={plotRef}
        className={`relative mr-12 touch-pan-y cursor-crosshair rounded has-focus-visible:outline-3 has-focus-visible:outline-offset-4 has-focus-visible:outline-accent ${className}`}
        onPointerDown={(event) => {
          // The slider ignores the pointer. It takes the focus here, so that the arrow keys work after a click.
          event.preventDefault();
          sliderRef.current?.focus({ preventScroll: true });
          moveCrosshair(event);
        }}
        onPointerMove={moveCrosshair}
        onPointerCancel={() => onActive(null)}
        // A lifted finger also leaves the plot. The crosshair then stays, so that the person can read its amounts.
        onPointerLeave={({ pointerType }) => pointerType === "mouse" && onActive(null)}
        data-testid="chart"
      >
        {scale.ticks.map((usd) => (
          <GridLine key={usd} usd={usd} top={toHeight(usd)} />
        ))}
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className="absolute inset-0 size-full"
        >
          <path d={`${drawPath("solidUsd")}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} className="fill-accent/8" />
          <path
            d={drawPath("dashedUsd")}
            vectorEffect="non-scaling-stroke"
            className="fill-none stroke-line-strong stroke-2 [stroke-dasharray:6_5]"
          />
          <path
            d={drawPath("solidUsd")}
            vectorEffect="non-scaling-stroke"
            strokeLinejoin="round"
            className="fill-none stroke-accent stroke-[2.5]"
          />
        </svg>
        {activePoint && (
          <Crosshair
            left={toRatio(activePoint.at)}
            tops={[toHeight(activePoint.dashedUsd), toHeight(activePoint.solidUsd)]}
          />
        )}
        {/* The arrow keys of a native slider move the crosshair, and screen readers announce its value. */}
        <input
          ref={sliderRef}
          type="range"
          aria-label={title}
          aria-valuetext={describe(activePoint ?? points[lastIndex]!)}
          min={0}
          max={lastIndex}
          value={activeIndex ?? lastIndex}
          onChange={(event) => onActive(Number(event.target.value))}
          onBlur={() => onActive(null)}
          className="pointer-events-none absolute inset-0 size-full opacity-0"
        />
      </div>
      <AxisLabels labels={[firstAt, (firstAt + lastAt) / 2, lastAt].map(formatTick)} />
    </div>
  );
}

/** Clears the crosshair when a pointer goes down outside of the plot. */
function useCrosshairReset(isActive: boolean, onActive: Props["onActive"]) {
  const plotRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isActive) return;
    const clearCrosshair = ({ target }: Event) => {
      if (!(target instanceof Node && plotRef.current?.contains(target))) onActive(null);
    };
    document.addEventListener("pointerdown", clearCrosshair);
    return () => document.removeEventListener("pointerdown", clearCrosshair);
  }, [isActive, onActive]);
  return plotRef;
}

/** Equal labels of a short range are shown once. */
const AxisLabels = ({ labels }: { labels: string[] }) => (
  <p aria-hidden="true" className="mt-1.5 mr-12 flex justify-between text-xs text-soft">
    {labels.map((label, i) => (
      <span key={i}>{label === labels[i - 1] ? "" : label}</span>
    ))}
  </p>
);

/** @param top a share of the plot's height */
function GridLine({ usd, top }: { usd: number; top: number }) {
  return (
    <span aria-hidden="true" className="absolute inset-x-0" style={{ top: `${top * 100}%` }}>
      <span className="absolute inset-x-0 border-t border-line" />
      <span className="absolute left-full ml-2 -translate-y-1/2 text-xs text-soft tabular-nums">
        {formatTickUsd(usd)}
      </span>
    </span>
  );
}

/** The positions are shares of the plot's width and height. */
function Crosshair({ left, tops: [dashedTop, solidTop] }: { left: number; tops: [number, number] }) {
  const dotClasses = "absolute size-2.5 -translate-x-1/2 -translate-y-1/2 rounded-full ring-2 ring-card";
  return (
    <span aria-hidden="true" className="absolute inset-y-0" style={{ left: `${left * 100}%` }}>
      <span className="absolute inset-y-0 border-l border-line-strong" />
      <span className={`${dotClasses} bg-line-strong`} style={{ top: `${dashedTop * 100}%` }} />
      <span className={`${dotClasses} bg-accent`} style={{ top: `${solidTop * 100}%` }} />
    </span>
  );
}

interface Scale {
  bottom: number;
  top: number;
  /** Two to four round amounts. The last one is at least the largest amount of the chart. */
  ticks: number[];
}

/** Minimum span, as a share of the largest amount. Without it, a change of one cent would fill the chart. */
const MIN_SPAN_SHARE = 0.1;
/** Free space above and below the amounts, as a share of the span. */
const MARGIN_SHARE = 0.1;

/** Returns a scale for amounts of at least 0. It starts at 0 unless the lowest amount is far above. */
function computeScale(amounts: readonly number[]): Scale {
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
function findNearestIndex(points: readonly { at: number }[], position: number): number {
  const distances = points.map(({ at }) => Math.abs(at - position));
  return distances.indexOf(Math.min(...distances));
}
