"use client";

import { useMemo, useState } from "react";
import { Fold } from "@/app/_components/fold";
import { LineChart } from "@/app/_components/line-chart";
import { LineSample } from "@/app/_components/line-sample";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { sumHistory, toShownUsd } from "@/app/dashboard/_components/activity-sums";
import { formatTitle } from "@/app/dashboard/_components/activity-words";
import { roundToMicro } from "@/lib/domain/money";
import { DAY_MS } from "@/lib/domain/time";
import type { useValueFacts } from "./use-value-facts";
import { computeValueSeries, findStartTime, getTime, type ValueFacts, type ValuePoint } from "./value-series";

/** With fewer transactions the chart is a flat block. The table shows them. */
const MIN_CHART_ITEMS = 3;

/** Charts added money and value over time. Renders nothing while the wallet has no history. */
export function OverviewGrowth({ read }: { read: ReturnType<typeof useValueFacts> }) {
  const [chosenRange, setRange] = useState<Range | null>(null);
  const { facts, hasStarted, error, retry } = read;
  const ranges = facts ? listRanges(facts.now - findStartTime(facts)) : [];
  const range = chosenRange ?? (ranges.some(([name]) => name === "month") ? "month" : "all");
  const chart = useMemo(() => {
    if (!facts) return null;
    const startTime = findStartTime(facts);
    const points = computeValueSeries(facts, facts.now - RANGE_MS[range]);
    // The savings begin with a step from zero.
    const zeroPoint = { time: startTime - 1, contributedUsd: 0, worthUsd: 0, isEmpty: true };
    const startsAtZero = facts.earlierUsd === undefined && points[0]!.time === startTime;
    return { facts, points, drawnPoints: startsAtZero ? [zeroPoint, ...points] : points };
  }, [facts, range]);
  if (hasStarted === false) return null;
  return (
    <section aria-label="Value over time" className="mt-4">
      {chart ? (
        <>
          {chart.facts.items.length >= MIN_CHART_ITEMS && <ValueChart facts={chart.facts} points={chart.drawnPoints} />}
          <div className="mt-2 flex flex-wrap justify-between gap-x-2">
            {ranges.length > 1 && (
              <SegmentedControl label="How far back" options={ranges} value={range} onChange={setRange} />
            )}
            <ValueTable facts={chart.facts} points={chart.points} />
          </div>
          <StaleNote error={error} retry={retry} />
          {facts?.earlierUsd !== undefined && (
            <p className="mt-2 text-sm text-soft">
              Your oldest transactions are not loaded. What you had before the first one shown counts as added.
            </p>
          )}
        </>
      ) : error ? (
        <Failure error={error} retry={retry} title="Your history cannot be read right now" />
      ) : (
        <div role="status">
          <span className="sr-only">Adding up your history</span>
          <Skeleton className="h-52 w-full rounded-xl sm:h-76" />
        </div>
      )}
    </section>
  );
}

interface ChartProps {
  facts: ValueFacts;
  points: ValuePoint[];
}

/** Draws the value and the added money. The legend shows the amounts under the crosshair, or the newest ones. */
function ValueChart({ facts, points }: ChartProps) {
  const [activeIndex, setActiveIndex] = useState<number | null>(null);
  // While the value of a transfer is unknown, $0 added means an unknown amount.
  const areAllValuesKnown = useMemo(() => sumHistory(facts.items).unknownCount === 0, [facts]);
  const [firstTime, lastTime] = [points[0]!.time, points.at(-1)!.time];
  const shownPoint = points[activeIndex ?? points.length - 1] ?? points.at(-1)!;
  const formatPointTime = (time: number) => (time === lastTime ? "Now" : formatMoment(time, lastTime - firstTime));
  const toKnownUsd = (usd: number) => (usd === 0 && !areAllValuesKnown ? null : usd);
  const chartPoints = points.map(({ time, worthUsd, contributedUsd }) => ({
    at: time,
    solidUsd: worthUsd,
    dashedUsd: contributedUsd,
  }));
  return (
    <>
      <p
        aria-hidden="true"
        className="mb-3 flex flex-wrap items-center gap-x-2 text-sm text-soft sm:gap-x-4"
        data-testid="readout"
      >
        <span className="inline-flex items-center gap-2">
          <LineSample line="solid" /> Value <UsdAmount usd={shownPoint.worthUsd} className="text-ink" />
        </span>
        <span className="inline-flex items-center gap-2">
          <LineSample line="dashed" /> Added{" "}
          <UsdAmount usd={toKnownUsd(shownPoint.contributedUsd)} className="text-ink" />
        </span>
        <span className="ml-auto">{formatPointTime(shownPoint.time)}</span>
      </p>
      <LineChart
        title="Value over time"
        points={chartPoints}
        activeIndex={activeIndex}
        onActive={setActiveIndex}
        formatTick={formatPointTime}
        describe={({ at, solidUsd, dashedUsd }) => {
          const addedUsd = toKnownUsd(dashedUsd);
          const addedText = addedUsd === null ? "" : `, added ${formatUsd(addedUsd)}`;
          const eventTexts = describeEvents(facts, at - 1, at).map((text) => `. ${text}`);
          return `${formatPointTime(at)}: ${formatUsd(solidUsd)}${addedText}${eventTexts.join("")}`;
        }}
        className="h-30 sm:h-56"
      />
    </>
  );
}

/** The most rows of the table. They are evenly spaced, and the newest point is always one of them. */
const MAX_TABLE_ROWS = 8;

/** Lists points of the chart, newest first, each with what happened since the point in the row below. */
function ValueTable({ facts, points }: ChartProps) {
  const lengthMs = points.at(-1)!.time - points[0]!.time;
  const toLabel = (point?: ValuePoint) => point && formatMoment(point.time, lengthMs);
  // Of consecutive points with the same label, keep the last.
  const labelledPoints = points.filter((point, i) => toLabel(point) !== toLabel(points[i + 1]));
  const step = Math.max(1, Math.ceil((labelledPoints.length - 1) / (MAX_TABLE_ROWS - 1)));
  const rows = labelledPoints.filter((_, i) => (labelledPoints.length - 1 - i) % step === 0).reverse();
  return (
    <Fold title="As a table" className="grow border-t-0 open:w-full sm:grow-0">
      <table className="mt-2 w-full text-left tabular-nums">
        <caption className="sr-only">Money added and value over time</caption>
        <thead className="text-sm text-soft">
          <tr className="border-b border-line">
            <th className="py-2 font-medium">When</th>
            <th className="py-2 pl-2 font-medium">{rows.length > 1 ? "Since the row below" : "What happened"}</th>
            <th className="py-2 pl-2 text-right font-medium">Added</th>
            <th className="py-2 pl-2 text-right font-medium">Value</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ time, contributedUsd, worthUsd }, i) => (
            <tr key={time} className="align-top">
              <th scope="row" className="py-2 font-normal">
                {formatMoment(time, lengthMs)}
              </th>
              <td className="py-2 pl-2 text-sm text-soft">
                {describeEvents(facts, rows[i + 1]?.time ?? points[0]!.time - 1, time).map((text) => (
                  <span key={text} className="block">
                    {text}
                  </span>
                ))}
              </td>
              <td className="py-2 pl-2 text-right">
                <UsdAmount usd={contributedUsd} />
              </td>
              <td className="py-2 pl-2 text-right">
                <UsdAmount usd={worthUsd} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Fold>
  );
}

const hourFormat = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });

/** Formats a time, ms since the epoch: with the hour for a short range, as a month for a long one. */
const formatMoment = (time: number, lengthMs: number): string =>
  (lengthMs > 300 * DAY_MS ? monthFormat : lengthMs > 3 * DAY_MS ? dayFormat : hourFormat).format(time);

/**
 * Describes the transactions of a period that moved savings, oldest first. Transactions with one title share a text:
 * "Saved change, 3 times: $1.35". A sum with an unknown value is left out.
 * @param after ms since the epoch; a transaction of exactly this time is not included
 * @param until ms since the epoch; a transaction of exactly this time is included
 */
export function describeEvents(
  { items, now }: Pick<ValueFacts, "items" | "now">,
  after: number,
  until: number,
): string[] {
  const valuesByTitle = new Map<string, (number | null)[]>();
  for (const item of [...items].reverse()) {
    const time = getTime(item, now);
    if (time <= after || time > until || item.status === "failed" || item.type === "other") continue;
    const title = formatTitle(item, "service");
    valuesByTitle.set(title, [...(valuesByTitle.get(title) ?? []), toShownUsd(item)]);
  }
  return [...valuesByTitle].map(([title, valuesUsd]) => {
    const countText = valuesUsd.length > 1 ? `, ${valuesUsd.length} times` : "";
    const knownUsd = valuesUsd.filter((usd) => usd !== null);
    const isKnown = knownUsd.length === valuesUsd.length;
    return `${title}${countText}${isKnown ? `: ${formatUsd(roundToMicro(knownUsd.reduce((sum, usd) => sum + usd, 0)))}` : ""}`;
  });
}

const RANGES = [
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
  ["all", "All"],
] as const;

export type Range = (typeof RANGES)[number][0];

export const RANGE_MS: Record<Range, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
};

/** Returns "All" and every range that is shorter than the savings' age, ms. */
export const listRanges = (ageMs: number) => RANGES.filter(([name]) => name === "all" || RANGE_MS[name] < ageMs);
