"use client";

import { useMemo, useState } from "react";
import { Fold } from "@/app/_components/fold";
import { LineChart } from "@/app/_components/line-chart";
import { LineSample } from "@/app/_components/line-sample";
import { formatUsd, Usd } from "@/app/_components/money";
import { Segmented } from "@/app/_components/segmented";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { sumHistory } from "../../_components/activity-sums";
import type { useValueFacts } from "./use-value-facts";
import { computeValueSeries, findStart, type ValueFacts, type ValuePoint } from "./value-series";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RANGES = [
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
  ["all", "All"],
] as const;
type Range = (typeof RANGES)[number][0];
const LENGTH_MS: Record<Range, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
};

/**
 * Returns the least time that the chart covers, ms: four times the wallet's age, between ten minutes and a day. A new
 * wallet's history then fills a quarter of the chart: neither all of it, as a cliff, nor one stroke at its edge.
 */
const getShortestMs = (ageMs: number): number => Math.min(Math.max(4 * ageMs, 10 * MINUTE_MS), DAY_MS);

/** Returns the shortest range that covers the whole history, or a month. */
function chooseRange(facts: ValueFacts): Range {
  const length = facts.now - findStart(facts);
  return (["day", "week"] as const).find((range) => length <= LENGTH_MS[range]) ?? "month";
}

/** Charts deposits against value over time. */
export function OverviewGrowth({ values }: { values: ReturnType<typeof useValueFacts> }) {
  const [chosen, setRange] = useState<Range | null>(null);
  const { facts, started, error, retry } = values;
  const range = chosen ?? (facts ? chooseRange(facts) : "month");
  const line = useMemo(() => {
    if (!facts) return null;
    const start = findStart(facts);
    const since = Math.max(facts.now - LENGTH_MS[range], Math.min(start, facts.now - getShortestMs(facts.now - start)));
    const known = computeValueSeries(facts, since);
    const isComplete = sumHistory(facts.items).unknown === 0;
    return {
      known,
      isComplete,
      drawn: facts.earlierUsd === undefined && since < start ? startAtZero(known, since) : known,
    };
  }, [facts, range]);
  if (started === false) return null;
  return (
    <section aria-label="Value over time" className="mt-4">
      {line ? (
        <>
          <ValueChart line={line.drawn} isComplete={line.isComplete} />
          <div className="mt-2 flex flex-wrap justify-between gap-x-2">
            <Segmented label="How far back" options={RANGES} value={range} onChange={setRange} />
            <ValueTable line={line.known} />
          </div>
          <StaleNote error={error} retry={retry} />
          {facts?.earlierUsd !== undefined && (
            <p className="mt-2 text-sm text-soft">
              Your oldest transactions are not loaded. What you had before the first one shown counts as deposited.
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
  line: ValuePoint[];
  /** Whether the value of every deposit is known. Otherwise deposits of $0 mean unknown ones. */
  isComplete: boolean;
}

/** Draws the line, with the amounts under the crosshair, or the newest ones, as its legend. */
function ValueChart({ line, isComplete }: ChartProps) {
  const [active, setActive] = useState<number | null>(null);
  const [first, last] = [line[0]!.time, line.at(-1)!.time];
  const shown = line[active ?? line.length - 1] ?? line.at(-1)!;
  const formatPoint = (time: number) => (time === last ? "Now" : formatMoment(time, last - first));
  const toKnownDeposit = (usd: number) => (usd === 0 && !isComplete ? null : usd);
  const points = line.map(({ time, worthUsd, contributedUsd }) => ({
    at: time,
    solid: worthUsd,
    dashed: contributedUsd,
  }));
  return (
    <>
      <p
        aria-hidden="true"
        className="mb-3 flex flex-wrap items-center gap-x-2 text-sm text-soft sm:gap-x-4"
        data-testid="readout"
      >
        <span className="inline-flex items-center gap-2">
          <LineSample line="solid" /> Value <Usd value={shown.worthUsd} className="text-ink" />
        </span>
        <span className="inline-flex items-center gap-2">
          <LineSample line="dashed" /> Deposited{" "}
          <Usd value={toKnownDeposit(shown.contributedUsd)} className="text-ink" />
        </span>
        <span className="ml-auto">{formatPoint(shown.time)}</span>
      </p>
      <LineChart
        title="Value over time"
        points={points}
        active={active}
        onActive={setActive}
        tickText={formatPoint}
        describe={({ at, solid, dashed }) => {
          const deposited = toKnownDeposit(dashed);
          return `${formatPoint(at)}: ${formatUsd(solid)}${deposited === null ? "" : `, deposited ${formatUsd(deposited)}`}`;
        }}
        className="h-30 sm:h-56"
      />
    </>
  );
}

/** Prepends zero from `since` (ms since the epoch) until the line's first point, with points for the crosshair. */
function startAtZero(line: ValuePoint[], since: number): ValuePoint[] {
  const end = line[0]!.time - 1;
  const times = Array.from({ length: EMPTY_POINTS + 1 }, (_, i) => since + ((end - since) * i) / EMPTY_POINTS);
  return [...times.map((time) => ({ time, contributedUsd: 0, worthUsd: 0, isEmpty: true })), ...line];
}

const EMPTY_POINTS = 24;
const TABLE_ROWS = 8;

function ValueTable({ line }: { line: ValuePoint[] }) {
  const length = line.at(-1)!.time - line[0]!.time;
  const moments = keepLastOfEach(line, ({ time }) => formatMoment(time, length));
  const step = Math.max(1, Math.ceil((moments.length - 1) / (TABLE_ROWS - 1)));
  const rows = moments.filter((_, i) => (moments.length - 1 - i) % step === 0).reverse();
  return (
    <Fold title="As a table" className="grow border-t-0 open:w-full sm:grow-0">
      <table className="mt-2 w-full text-left tabular-nums">
        <caption className="sr-only">Deposits and value over time</caption>
        <thead className="text-sm text-soft">
          <tr className="border-b border-line">
            <th className="py-2 font-medium">When</th>
            <th className="py-2 text-right font-medium">Deposited</th>
            <th className="py-2 text-right font-medium">Value</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ time, contributedUsd, worthUsd }) => (
            <tr key={time}>
              <th scope="row" className="py-2 font-normal">
                {formatMoment(time, length)}
              </th>
              <td className="py-2 text-right">
                <Usd value={contributedUsd} />
              </td>
              <td className="py-2 text-right">
                <Usd value={worthUsd} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Fold>
  );
}

/** Keeps the last of consecutive entries with the same label. */
const keepLastOfEach = <T,>(list: T[], told: (entry: T) => string): T[] =>
  list.filter((entry, i) => i === list.length - 1 || told(entry) !== told(list[i + 1]!));

const clock = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

const monthOf = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });

/** Formats a time: with the hour for short ranges, as a month for long ones. */
const formatMoment = (time: number, lengthMs: number): string =>
  (lengthMs > 300 * DAY_MS ? monthOf : lengthMs > 3 * DAY_MS ? dayOf : clock).format(time);
