"use client";

import { type ChangeEvent, useState } from "react";
import { Button, QuietButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { InView } from "@/app/_components/in-view";
import { findAmountsError } from "@/app/_components/parse-amount";
import { BATCH_SIZE_RANGE } from "@/lib/domain/limits";
import { decodeText } from "@/lib/domain/purchases/read-table";

/** A larger file is not a list of purchases and would not fit into localStorage. */
const MAX_FILE_BYTES = 1_000_000;

const EXAMPLE =
  "4.35 2.90 37.18 18.25 3.60 12.49 24.00 5.20 8.75 41.32 3.60 2.90 15.15 6.40 29.99 11.10 4.35 52.64 9.25 3.60";

interface Props {
  text: string;
  onTextChange: (text: string) => void;
  onOpen: (text: string) => void;
}

export function ListSource({ text, onTextChange, onOpen }: Props) {
  const [error, setError] = useState<string | null>(null);
  const openAmounts = () => {
    const amountsError = findAmountsError(text);
    if (amountsError === null) onOpen(text);
    else setError(`${amountsError.slice(0, 200)} For a list with dates or shops, open its CSV file.`);
  };
  const openFile = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = "";
    if (!file) return;
    if (file.size > MAX_FILE_BYTES) return setError("This file is larger than a list of purchases should be (1 MB).");
    const fileText = decodeText(new Uint8Array(await file.arrayBuffer()));
    if (fileText === null) setError("This file is not text. In your bank or spreadsheet, save the list as CSV.");
    else if (fileText.trim() === "") setError("There is nothing in it.");
    else onOpen(fileText);
  };
  return (
    <div className="space-y-4">
      <div>
        <label htmlFor="purchases" className="mb-1.5 block text-sm font-medium">
          Amounts that you paid, in dollars
        </label>
        <textarea
          id="purchases"
          rows={4}
          spellCheck={false}
          value={text}
          placeholder={EXAMPLE.slice(0, 15)}
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
        <Button disabled={text.trim() === ""} onClick={openAmounts}>
          Show the change
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
        <QuietButton onClick={() => onTextChange(EXAMPLE)}>Fill in an example</QuietButton>
      </div>
    </div>
  );
}
