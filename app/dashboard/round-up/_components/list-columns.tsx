"use client";

import { useMemo } from "react";
import { Button, QuietButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { UsdAmount } from "@/app/_components/money";
import { formatExactUsd, fromMicroUsd } from "@/lib/domain/money";
import { type Column, listColumns } from "@/lib/domain/purchases/guess-choices";
import type { ListChoices } from "@/lib/domain/purchases/list-choices";
import type { RowReading } from "@/lib/domain/purchases/read-purchases";
import type { Table } from "@/lib/domain/purchases/read-table";
import { ColumnFields } from "./column-fields";

interface Props {
  table: Table;
  choices: ListChoices;
  readings: RowReading[];
  onChange: (choices: ListChoices) => void;
  onConfirm: () => void;
  onCancel: () => void;
}

export function ListColumns({ table, choices, readings, onChange, onConfirm, onCancel }: Props) {
  const columns = useMemo(() => listColumns(table, choices.headerRow), [table, choices.headerRow]);
  const amounts = readings.flatMap(({ purchase }) => (purchase ? [purchase.microUsd] : []));
  const count = amounts.length === 1 ? "1 purchase" : `${amounts.length.toLocaleString("en-US")} purchases`;
  const totalUsd = fromMicroUsd(amounts.reduce((sum, microUsd) => sum + microUsd, 0n));
  const cancelButton = <QuietButton onClick={onCancel}>Another list</QuietButton>;
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

export function LeftOutRows({ readings }: { readings: RowReading[] }) {
  const leftOutRows = readings.filter(({ reason }) => reason !== null);
  if (leftOutRows.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={leftOutRows.length === 1 ? "1 row is left out" : `${leftOutRows.length} rows are left out`}
    >
      <details>
        <summary className="min-h-6 list-none underline decoration-dotted underline-offset-4 [&::-webkit-details-marker]:hidden">
          Which, and why
        </summary>
        <ul
          aria-label="Rows that are left out"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 max-h-48 overflow-y-auto wrap-anywhere"
        >
          {leftOutRows.map(({ id, reason }) => (
            <li key={id}>{`Row ${id}: ${reason}.`}</li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}

const PREVIEW_ROWS = 8;
const CELL_CLASSES = "px-2 py-1.5 sm:px-3";

/** Shows the first rows of the list. The first column says how each row is read. */
function ListPreview({ columns, readings }: { columns: Column[]; readings: RowReading[] }) {
  return (
    <section
      aria-label="First rows of your list"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line"
    >
      <table className="w-full text-left text-sm">
        <caption className="sr-only">The first rows of your list, and how each is read</caption>
        <thead className="bg-raised">
          <tr>
            {["Read as", ...columns.map(({ index, title }) => title || `Column ${index + 1}`)].map((title, i) => (
              <th key={i} scope="col" className={`font-medium whitespace-nowrap ${CELL_CLASSES}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {readings.slice(0, PREVIEW_ROWS).map(({ id, cells, purchase, reason }) => (
            <tr key={id}>
              <td className={`min-w-36 ${CELL_CLASSES}`}>
                {purchase ? (
                  <UsdAmount usd={fromMicroUsd(purchase.microUsd)} isExact className="font-semibold" />
                ) : (
                  <span className="text-soft">{`Left out: ${reason}`}</span>
                )}
              </td>
              {columns.map(({ index }) => (
                <td key={index} className={`whitespace-nowrap ${CELL_CLASSES}`}>
                  {cells[index]?.trim().slice(0, 40)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
