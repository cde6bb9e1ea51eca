"use client";

import { type ChangeEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Terms } from "@/app/_client/kept/terms";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Usd } from "@/app/_components/money";
import { answer } from "@/app/_components/round-up";
import { Segmented } from "@/app/_components/segmented";
import { Empty } from "@/app/_components/state-view";
import {
  EXAMPLE_CSV,
  type Purchases,
  readPurchases,
  type Spending,
} from "@/app/dashboard/round-up/_components/purchases-csv";
import { BATCH_SIZE } from "@/lib/domain/limits";
import { roundToMicro } from "@/lib/domain/money";
import { GuardNotice, useGuardCheck } from "./guard-notice";
import { PurchaseTable } from "./purchase-table";
import { readTerms, requestTerms } from "./terms-fields";
import { ToThreshold } from "./to-threshold";
import type { Save } from "./use-save";

/** A larger file is no list of purchases for one batch. */
const MAX_FILE_BYTES = 1_000_000;

const SPENDING = [
  ["plain", "without a minus"],
  ["minus", "with a minus"],
] as const;

/** Purchases from a CSV, each with its round-up; some left out; the rest saved together. */
export function ManyPurchases({ terms, save, fields }: { terms: Terms; save: Save; fields: ReactNode }) {
  const [list, setList] = useState<Purchases | null>(null);
  const [text, setText] = useState("");
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set());
  const read = readTerms(terms);
  const rows = useMemo(
    () =>
      read && list ? list.purchases.map((purchase) => ({ purchase, result: answer(purchase.amountUsd, read) })) : [],
    [list, read],
  );
  const included = rows.filter(({ purchase, result }) => !excluded.has(purchase.id) && !result.skipped);
  const total = roundToMicro(included.reduce((sum, { result }) => sum + result.roundUpUsd, 0));
  const invested = roundToMicro(included.reduce((sum, { result }) => sum + result.investedUsd, 0));
  const largest = Math.max(0, ...included.map(({ result }) => result.roundUpUsd));
  const blocked = useGuardCheck(total, 0, largest);

  const load = (csv: string, spending?: Spending) => {
    const next = readPurchases(csv, spending);
    setText(csv);
    setList(next);
    setExcluded(new Set(next.purchases.filter(({ duplicate }) => duplicate).map(({ id }) => id)));
  };
  const { phase } = save.state;
  const reviewed = useRef<ReadonlySet<number>>(new Set());
  const review = () => {
    if (!read) return;
    reviewed.current = new Set(included.map(({ purchase }) => purchase.id));
    void save.flow.start({ purchases: included.map(({ purchase }) => purchase.amountUsd), ...requestTerms(read) });
  };
  // What was saved leaves the list, so that nothing is saved twice by one more click.
  useEffect(() => {
    if (phase !== "done") return;
    setList((now) => now && without(now, reviewed.current));
  }, [phase]);

  if (!list) return <Source onLoad={load} />;
  return (
    <div className="space-y-5">
      {fields}
      {list.mixed && (
        <div>
          <p className="mb-1.5 text-sm font-medium">
            Some amounts have a minus, some have none. Your purchases are those
          </p>
          <Segmented
            label="How your purchases are written"
            options={SPENDING}
            value={list.spending}
            onChange={(spending) => load(text, spending)}
          />
        </div>
      )}
      <Unread list={list} />
      {rows.length === 0 ? (
        <Empty title="No purchases to round up">{read ? "Try another file." : "Correct the plan above first."}</Empty>
      ) : (
        <div className="rounded-xl bg-raised px-4 py-3">
          <p
            aria-live="polite"
            data-testid="batch-total"
            className="flex flex-wrap items-baseline justify-between gap-x-4"
          >
            <span>
              {included.length} of {rows.length} purchases have change to save
            </span>
            <Usd value={total} exact className="text-2xl font-semibold text-accent" />
          </p>
          <ToThreshold addUsd={invested} />
        </div>
      )}
      <GuardNotice reason={included.length > 0 ? blocked : null} />
      <div className="flex flex-wrap gap-3 max-sm:*:w-full">
        <Button
          busy={save.state.phase === "building"}
          disabled={included.length === 0 || blocked !== null || save.unfinished !== null}
          onClick={review}
        >
          Review and save together
        </Button>
        <Button look="quiet" onClick={() => setList(null)}>
          Another list
        </Button>
      </div>
      {rows.length > 0 && <PurchaseTable rows={rows} excluded={excluded} onChange={setExcluded} />}
    </div>
  );
}

/** The list without these purchases; null when none is left. */
function without(list: Purchases, saved: ReadonlySet<number>): Purchases | null {
  const purchases = list.purchases.filter(({ id }) => !saved.has(id));
  return purchases.length > 0 ? { ...list, purchases } : null;
}

function Unread({ list }: { list: Purchases }) {
  if (list.unread.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={list.unread.length === 1 ? "1 row is left out" : `${list.unread.length} rows are left out`}
    >
      <details>
        <summary className="min-h-6 underline underline-offset-2">Which, and why</summary>
        <ul className="mt-2 max-h-48 overflow-y-auto">
          {list.unread.map(({ line, reason }) => (
            <li key={line}>
              Line {line}: {reason}.
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}

function Source({ onLoad }: { onLoad: (csv: string) => void }) {
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const read = (csv: string) => {
    const list = readPurchases(csv);
    if (list.purchases.length === 0 && list.unread.length === 0) setError("There is nothing in it.");
    else onLoad(csv);
  };
  const open = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = "";
    if (!file) return;
    if (file.size > MAX_FILE_BYTES) return setError("This file is larger than a list of purchases should be (1 MB).");
    read(await file.text());
  };
  return (
    <div className="space-y-4">
      <div>
        <label htmlFor="purchases" className="mb-1.5 block text-sm font-medium">
          Paste your purchases: date, description, amount
        </label>
        <textarea
          id="purchases"
          rows={7}
          spellCheck={false}
          value={text}
          placeholder={EXAMPLE_CSV.split("\n").slice(0, 4).join("\n")}
          onChange={(event) => {
            setText(event.target.value);
            setError(null);
          }}
          aria-describedby="purchases-note"
          className="w-full rounded-xl border border-line-strong bg-card px-3.5 py-2 font-mono text-sm placeholder:text-soft/80"
        />
        <p id="purchases-note" className="mt-1 text-sm text-soft">
          At most {BATCH_SIZE.max}. They are read in this page; only the amounts are sent.
        </p>
      </div>
      {error && <Notice tone="bad" role="alert" title={error} />}
      <div className="flex flex-wrap items-center gap-3 max-sm:*:w-full">
        <Button disabled={text.trim() === ""} onClick={() => read(text)}>
          Show the round-ups
        </Button>
        <label className="inline-flex min-h-11 items-center justify-center rounded-xl border border-line-strong bg-card px-4 font-medium hover:bg-raised has-focus-visible:outline-3 has-focus-visible:outline-accent">
          Open a CSV file
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            onChange={(event) => void open(event)}
            className="sr-only"
          />
        </label>
        <Button look="quiet" onClick={() => setText(EXAMPLE_CSV)}>
          Fill in an example
        </Button>
      </div>
    </div>
  );
}
