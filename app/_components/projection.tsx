"use client";

import { type ReactNode, useId, useState } from "react";
import { fromMicroUsd } from "@/lib/domain/money";
import { projectSavings } from "@/lib/domain/projection";
import { Card } from "./card";
import { LineSample } from "./line-sample";
import { loadAfterPage } from "./load-after-page";
import { formatEstimatedUsd } from "./money";
import { SegmentedControl } from "./segmented-control";

const CHART_HEIGHT_CLASSES = "h-48 sm:h-56";

/** The placeholder has the height of the chart and of its axis. */
const LineChart = loadAfterPage(
  () => import("./line-chart").then((module) => module.LineChart),
  <div className={`box-content pb-[1.375rem] ${CHART_HEIGHT_CLASSES}`} />,
);

const YEAR_OPTIONS = [
  ["5", "5 years"],
  ["10", "10 years"],
  ["20", "20 years"],
] as const;

/** Percent a year; the real growth is unknown. */
const DEFAULT_GROWTH_PERCENT = 5;
const GROWTH_RANGE_PERCENT = { min: -10, max: 20 } as const;

interface Props {
  startMicroUsd: bigint;
  perMonthMicroUsd: bigint;
  /** Explains the monthly amount. */
  children: ReactNode;
}

export function Projection({ startMicroUsd, perMonthMicroUsd, children }: Props) {
  const [years, setYears] = useState<(typeof YEAR_OPTIONS)[number][0]>("10");
  const [growthPercent, setGrowthPercent] = useState(DEFAULT_GROWTH_PERCENT);
  const growthBps = BigInt(growthPercent) * 100n;
  const projectedPoints = projectSavings({ startMicroUsd, perMonthMicroUsd, growthBps, years: Number(years) });
  const chartPoints = projectedPoints.map(({ month, plainMicroUsd, grownMicroUsd }) => ({
    at: month,
    solidUsd: fromMicroUsd(grownMicroUsd),
    dashedUsd: fromMicroUsd(plainMicroUsd),
  }));
  const [activeIndex, setActiveIndex] = useState<number | null>(null);
  // The active point is gone when the person has just chosen fewer years.
  const shownPoint = chartPoints[activeIndex ?? chartPoints.length - 1] ?? chartPoints.at(-1)!;
  const growthText = `${growthPercent < 0 ? "−" : ""}${Math.abs(growthPercent)} %`;
  return (
    <Card
      title="Where it could go"
      action={<SegmentedControl label="How far ahead" options={YEAR_OPTIONS} value={years} onChange={setYears} />}
    >
      <div className="text-soft">{children}</div>
      <p aria-hidden="true" className="mt-3 min-h-5 text-sm text-soft">
        {activeIndex !== null && formatMonths(shownPoint.at)}
      </p>
      <dl
        data-testid="projection"
        aria-live={activeIndex === null ? "polite" : "off"}
        className="mt-1 mb-3 flex flex-wrap gap-x-10 gap-y-3"
      >
        <ProjectedAmount
          line="solid"
          name={`At ${growthText} a year`}
          usd={shownPoint.solidUsd}
          className="text-accent"
        />
        <ProjectedAmount line="dashed" name="Without growth" usd={shownPoint.dashedUsd} />
      </dl>
      <LineChart
        title="Where it could go"
        className={CHART_HEIGHT_CLASSES}
        points={chartPoints}
        activeIndex={activeIndex}
        onActive={setActiveIndex}
        formatTick={(month) => (month === 0 ? "Now" : `${month / 12} years`)}
        describe={({ at, solidUsd, dashedUsd }) =>
          `${formatMonths(at)}: ${formatEstimatedUsd(solidUsd)}, without growth ${formatEstimatedUsd(dashedUsd)}`
        }
      />
      <GrowthField growthText={growthText} value={growthPercent} onChange={setGrowthPercent} />
    </Card>
  );
}

/** In 2 years, 6 months. */
function formatMonths(months: number): string {
  const parts = [
    [Math.floor(months / 12), "year"],
    [months % 12, "month"],
  ] as const;
  const words = parts.flatMap(([count, unit]) => (count > 0 ? `${count} ${unit}${count > 1 ? "s" : ""}` : []));
  return words.length > 0 ? `In ${words.join(", ")}` : "Now";
}

interface ProjectedAmountProps {
  line: "solid" | "dashed";
  name: string;
  usd: number;
  className?: string;
}

function ProjectedAmount({ line, name, usd, className = "" }: ProjectedAmountProps) {
  return (
    <div>
      <dt className="flex items-center gap-2 text-sm text-soft">
        <LineSample line={line} />
        {name}
      </dt>
      <dd className={`text-3xl font-semibold tracking-tight tabular-nums ${className}`}>{formatEstimatedUsd(usd)}</dd>
    </div>
  );
}

interface GrowthFieldProps {
  growthText: string;
  /** Percent a year. */
  value: number;
  onChange: (value: number) => void;
}

function GrowthField({ growthText, value, onChange }: GrowthFieldProps) {
  const id = useId();
  return (
    <div className="mt-3 grid items-center gap-x-6 sm:grid-cols-[auto_minmax(0,1fr)]">
      <label htmlFor={id} className="text-sm">
        <span className="font-medium">Growth a year</span>
        <span className="block text-soft">An assumption, not a promise.</span>
      </label>
      <input
        id={id}
        type="range"
        min={GROWTH_RANGE_PERCENT.min}
        max={GROWTH_RANGE_PERCENT.max}
        value={value}
        aria-valuetext={growthText}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-11 w-full cursor-pointer accent-accent"
      />
    </div>
  );
}
