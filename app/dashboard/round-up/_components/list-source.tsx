"use client";

import { type ChangeEvent, useState } from "react";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { InView } from "@/app/_components/in-view";
import { BATCH_SIZE_RANGE } from "@/lib/domain/limits";
import { createExampleList } from "@/lib/domain/purchases/example-list";
import { readPurchases } from "@/lib/domain/purchases/read-purchases";

/** A larger file is not a list of purchases and would not fit into localStorage. */
const MAX_FILE_BYTES = 1_000_000;

interface Props {
  /** The text pasted so far. */
  text: string;
  onTextChange: (text: string) => void;
  onOpen: (text: string) => void;
}

/** Accepts a list as pasted text, a file or the example. */
export function ListSource({ text, onTextChange, onOpen }: Props) {
  const [error, setError] = useState<string | null>(null);
  const [exampleText] = useState(() => createExampleList(Date.now()));
  const openList = (listText: string) => {
    const list = readPurchases(listText);
    if (list.purchases.length === 0 && list.unreadRows.length === 0) setError("There is nothing in it.");
    else onOpen(listText);
  };
  const openFile = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = "";
    if (!file) return;
    if (file.size > MAX_FILE_BYTES) return setError("This file is larger than a list of purchases should be (1 MB).");
    openList(await file.text());
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
          placeholder={exampleText.split("\n").slice(0, 4).join("\n")}
          onChange={(event) => {
            onTextChange(event.target.value);
            setError(null);
          }}
          aria-describedby="purchases-note"
          className="w-full rounded-xl border border-line-strong bg-card px-3.5 py-2 font-mono text-sm placeholder:text-soft/80"
        />
        <p id="purchases-note" className="mt-1 text-sm text-soft">
          Read and kept in this browser; only the amounts are sent. More than {BATCH_SIZE_RANGE.max} are saved in parts.
        </p>
      </div>
      {error && (
        <InView>
          <Notice tone="bad" role="alert" title={error} />
        </InView>
      )}
      <div className="flex flex-wrap items-center gap-3 max-sm:*:w-full">
        <Button disabled={text.trim() === ""} onClick={() => openList(text)}>
          Show the round-ups
        </Button>
        <label className="inline-flex min-h-11 items-center justify-center rounded-xl border border-line-strong bg-card px-4 font-medium hover:bg-raised has-focus-visible:outline-3 has-focus-visible:outline-accent">
          Open a CSV file
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            onChange={(event) => void openFile(event)}
            className="sr-only"
          />
        </label>
        <Button variant="quiet" onClick={() => onTextChange(exampleText)}>
          Fill in an example
        </Button>
      </div>
    </div>
  );
}
