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
import { listRanges, RANGE_MS, type Range } from "./value-ranges";
import { computeValueSeries, findStart, type ValuePoint } from "./value-series";

const DAY_MS = 86_400_000;

/** Charts deposits against value over time. */
export function OverviewGrowth({ values }: { values: ReturnType<typeof useValueFacts> }) {
  const [chosen, setRange] = useState<Range | null>(null);
  const { facts, started, error, retry } = values;
  const ranges = facts ? listRanges(facts.now - findStart(facts)) : [];
  const range = chosen ?? (ranges.some(([name]) => name === "month") ? "month" : "all");
  const line = useMemo(() => {
    if (!facts) return null;
    const start = findStart(facts);
    const since = Math.max(facts.now - RANGE_MS[range], start);
    const known = computeValueSeries(facts, since);
    const isComplete = sumHistory(facts.items).unknown === 0;
    // The savings begin with a step from zero.
    const zero = { time: start - 1, contributedUsd: 0, worthUsd: 0, isEmpty: true };
    return { known, isComplete, drawn: facts.earlierUsd === undefined && since === start ? [zero, ...known] : known };
  }, [facts, range]);
  if (started === false) return null;
  return (
    <section aria-label="Value over time" className="mt-4">
      {line ? (
        <>
          <ValueChart line={line.drawn} isComplete={line.isComplete} />
          <div className="mt-2 flex flex-wrap justify-between gap-x-2">
            {ranges.length > 1 && <Segmented label="How far back" options={ranges} value={range} onChange={setRange} />}
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
        formatTick={formatPoint}
        describe={({ at, solid, dashed }) => {
          const deposited = toKnownDeposit(dashed);
          return `${formatPoint(at)}: ${formatUsd(solid)}${deposited === null ? "" : `, deposited ${formatUsd(deposited)}`}`;
        }}
        className="h-30 sm:h-56"
      />
    </>
  );
}

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
const keepLastOfEach = <T,>(list: T[], toLabel: (entry: T) => string): T[] =>
  list.filter((entry, i) => i === list.length - 1 || toLabel(entry) !== toLabel(list[i + 1]!));

const hourFormat = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });

/** Formats a time: with the hour for short ranges, as a month for long ones. */
const formatMoment = (time: number, lengthMs: number): string =>
  (lengthMs > 300 * DAY_MS ? monthFormat : lengthMs > 3 * DAY_MS ? dayFormat : hourFormat).format(time);
