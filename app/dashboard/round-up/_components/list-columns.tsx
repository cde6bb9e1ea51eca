"use client";

import { useMemo } from "react";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { formatExactUsd, fromMicroUsd } from "@/lib/domain/money";
import { listColumns } from "@/lib/domain/purchases/guess-choices";
import type { ListChoices } from "@/lib/domain/purchases/list-choices";
import type { RowReading } from "@/lib/domain/purchases/read-purchases";
import type { Table } from "@/lib/domain/purchases/read-table";
import { ColumnFields } from "./column-fields";
import { LeftOutRows } from "./left-out-rows";
import { ListPreview } from "./list-preview";

interface Props {
  table: Table;
  choices: ListChoices;
  /** The rows as the choices read them. */
  readings: RowReading[];
  onChange: (choices: ListChoices) => void;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Lets the person choose what each column means, and shows how the rows are then read. */
export function ListColumns({ table, choices, readings, onChange, onConfirm, onCancel }: Props) {
  const columns = useMemo(() => listColumns(table, choices.headerRow), [table, choices.headerRow]);
  const amounts = readings.flatMap(({ purchase }) => (purchase ? [purchase.microUsd] : []));
  const count = amounts.length === 1 ? "1 purchase" : `${amounts.length.toLocaleString("en-US")} purchases`;
  const totalUsd = fromMicroUsd(amounts.reduce((sum, microUsd) => sum + microUsd, 0n));
  const cancelButton = (
    <Button variant="quiet" onClick={onCancel}>
      Another list
    </Button>
  );
  if (table.openQuoteRow !== null) {
    const title = `Row ${table.openQuoteRow} opens a quotation mark that is never closed`;
    return (
      <Notice tone="bad" title={title} action={cancelButton}>
        The rows after it cannot be told apart. Correct the file, then open it again.
      </Notice>
    );
  }
  return (
    <div className="space-y-5">
      <p className="text-soft">Check how your list is read, and correct what is wrong. Nothing is saved yet.</p>
      <ColumnFields table={table} columns={columns} choices={choices} onChange={onChange} />
      {choices.currency === "other" && (
        <Notice tone="warn" title="Only amounts in US dollars can be rounded up">
          There is no exchange rate here for other currencies.
        </Notice>
      )}
      <ListPreview columns={columns} readings={readings} />
      <p aria-live="polite" data-testid="list-sum" className="rounded-xl bg-raised px-4 py-3">
        {`${count}, ${formatExactUsd(totalUsd)} in all`}
      </p>
      <LeftOutRows readings={readings} />
      <div className="flex flex-wrap gap-3 max-sm:*:w-full">
        <Button disabled={amounts.length === 0} onClick={onConfirm}>{`Use ${count}`}</Button>
        {cancelButton}
      </div>
    </div>
  );
}
