"use client";

import { useMemo, useState } from "react";
import useSWR from "swr";
import { useHistory } from "@/app/_client/reads/activity";
import { calls } from "@/app/_client/reads/calls";
import { Card } from "@/app/_components/card";
import { Chevron } from "@/app/_components/chevron";
import { Usd, usdText } from "@/app/_components/money";
import { Segmented } from "@/app/_components/segmented";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure } from "@/app/_components/state-view";
import type { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import type { AnswerOf } from "@/lib/sdk/calls/calls";
import type { Portfolio } from "../_components/balances";
import { startOf, type ValueFacts, type ValuePoint, valueSeries } from "./value-series";

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

/** History, holdings and prices together; null until all are there. `now` moves on with what is read. */
export function useValueFacts(portfolio: Portfolio | undefined, address: string) {
  const history = useHistory(address);
  const started = Boolean(history.data && history.data.items.length > 0);
  const prices = useSWR<AnswerOf<typeof getPriceHistoryContract>, ApiError>(
    started ? "/api/prices/history" : null,
    (path: string) => calls.get<typeof getPriceHistoryContract>(path),
    { revalidateOnFocus: false, dedupingInterval: 600_000, errorRetryCount: 2, errorRetryInterval: 15_000 },
  );
  const facts = useMemo((): ValueFacts | null => {
    if (!portfolio || !history.data || !started || !prices.data?.series) return null;
    const { items } = history.data;
    // What the portfolio says now is the newest reading there is.
    const series = prices.data.series.map(({ asset, points }) => {
      const usd = portfolio.balances.find((one) => one.asset === asset)?.priceUsd;
      const before = points.filter(({ time }) => Date.parse(time) < Date.parse(portfolio.asOf));
      return { asset, points: usd ? [...before, { time: portfolio.asOf, usd }] : points };
    });
    return { items, balances: portfolio.balances, prices: series, now: Date.parse(portfolio.asOf) };
  }, [portfolio, history.data, started, prices.data]);
  const retry = () => void (history.error ? history.mutate() : prices.mutate());
  return { facts, started: history.data ? started : null, error: history.error ?? prices.error, retry };
}

/** What was put in against what it was worth, over time. */
export function OverviewGrowth({ values }: { values: ReturnType<typeof useValueFacts> }) {
  const [range, setRange] = useState<Range>("month");
  const { facts, started, error, retry } = values;
  const line = useMemo(
    () => facts && valueSeries(facts, Math.max(facts.now - LENGTH_MS[range], startOf(facts))),
    [facts, range],
  );
  if (started === false) return null;
  return (
    <Card
      title="Value over time"
      className="mt-4"
      action={<Segmented label="How far back" options={RANGES} value={range} onChange={setRange} />}
    >
      {line ? (
        <>
          <Legend />
          <ValueChart line={line} />
          <ValueTable line={line} />
        </>
      ) : error ? (
        <Failure error={error} retry={retry} title="Your history cannot be read right now" />
      ) : (
        <div role="status">
          <span className="sr-only">Adding up your history</span>
          <Skeleton className="h-56 w-full rounded-xl" />
        </div>
      )}
    </Card>
  );
}

function Legend() {
  return (
    <p aria-hidden="true" className="mb-2 flex gap-5 text-sm text-soft">
      <span className="inline-flex items-center gap-2">
        <span className="h-0.5 w-5 rounded bg-accent" /> Worth
      </span>
      <span className="inline-flex items-center gap-2">
        <span className="w-5 border-t-2 border-dashed border-line-strong" /> Put in
      </span>
    </p>
  );
}

const [WIDTH, HEIGHT] = [600, 200];

/** Two lines over the range. Decoration for those who see it: the table below says the same. */
function ValueChart({ line }: { line: ValuePoint[] }) {
  const values = line.flatMap(({ contributedUsd, worthUsd }) => [contributedUsd, worthUsd]);
  const top = Math.max(...values) * 1.08 || 1;
  const bottom = Math.min(0, ...values);
  const [first, last] = [line[0]!.time, line.at(-1)!.time];
  const x = (time: number) => (((time - first) / (last - first || 1)) * WIDTH).toFixed(1);
  const y = (usd: number) => (HEIGHT - ((usd - bottom) / (top - bottom)) * HEIGHT).toFixed(1);
  const path = (of: (point: ValuePoint) => number) =>
    `M${line.map((point) => `${x(point.time)} ${y(of(point))}`).join("L")}`;
  const worth = path(({ worthUsd }) => worthUsd);
  return (
    <div aria-hidden="true">
      <div className="relative">
        <span className="absolute top-0 left-0 text-xs text-soft tabular-nums">{usdText(top / 1.08)}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-48 w-full sm:h-56">
          <title>Value over time</title>
          <path d={`${worth}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} className="fill-accent-wash" />
          <path
            d={path(({ contributedUsd }) => contributedUsd)}
            vectorEffect="non-scaling-stroke"
            className="fill-none stroke-line-strong stroke-2 [stroke-dasharray:6_5]"
          />
          <path
            d={worth}
            vectorEffect="non-scaling-stroke"
            strokeLinejoin="round"
            className="fill-none stroke-accent stroke-[2.5]"
          />
        </svg>
      </div>
      <p className="mt-1.5 flex justify-between border-t border-line pt-1.5 text-xs text-soft">
        <span>{momentText(first, last - first)}</span>
        <span>now</span>
      </p>
    </div>
  );
}

const TABLE_ROWS = 8;

function ValueTable({ line }: { line: ValuePoint[] }) {
  const length = line.at(-1)!.time - line[0]!.time;
  const step = Math.max(1, Math.ceil((line.length - 1) / (TABLE_ROWS - 1)));
  const rows = line.filter((_, i) => (line.length - 1 - i) % step === 0).reverse();
  return (
    <details className="group mt-3 border-t border-line">
      <summary className="-mb-2 flex min-h-12 list-none items-center justify-between gap-3 font-medium [&::-webkit-details-marker]:hidden">
        As a table
        <Chevron className="text-soft group-open:rotate-180" />
      </summary>
      <table className="mt-2 w-full text-left tabular-nums">
        <caption className="sr-only">Put in and worth over time</caption>
        <thead className="text-sm text-soft">
          <tr className="border-b border-line">
            <th className="py-2 font-medium">When</th>
            <th className="py-2 text-right font-medium">Put in</th>
            <th className="py-2 text-right font-medium">Worth</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ time, contributedUsd, worthUsd }) => (
            <tr key={time}>
              <th scope="row" className="py-2 font-normal">
                {momentText(time, length)}
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
    </details>
  );
}

const clock = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** With the hour where the range is short. */
const momentText = (time: number, lengthMs: number): string => (lengthMs > 3 * DAY_MS ? dayOf : clock).format(time);
