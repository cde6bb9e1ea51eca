"use client";

import { useState } from "react";
import { SecondaryButton } from "@/app/_components/button";
import { UsdAmount } from "@/app/_components/money";
import { fromMicroUsd } from "@/lib/domain/money";
import type { Purchase } from "@/lib/domain/purchases/read-purchases";
import type { RoundUpPreview } from "@/lib/sdk/preview-round-up";

/** Rows per page, few enough to stay fast with thousands of purchases. */
const ROWS_PER_PAGE = 50;

const COLUMNS = [
  ["Save", "w-14"],
  ["Purchase", ""],
  ["Paid", "text-right"],
  ["Change", "text-right"],
] as const;

interface Row {
  purchase: Purchase;
  preview: RoundUpPreview;
}

interface Props {
  rows: Row[];
  excludedIds: ReadonlySet<number>;
  onChange: (excludedIds: ReadonlySet<number>) => void;
}

export function PurchaseTable({ rows, excludedIds, onChange }: Props) {
  const [chosenPage, setPage] = useState(0);
  const pageCount = Math.ceil(rows.length / ROWS_PER_PAGE);
  // Saved rows disappear, so the current page may no longer exist.
  const page = Math.min(chosenPage, pageCount - 1);
  const togglePurchase = (id: number) => {
    const newExcludedIds = new Set(excludedIds);
    if (!newExcludedIds.delete(id)) newExcludedIds.add(id);
    onChange(newExcludedIds);
  };
  return (
    <>
      <div className="overflow-x-auto rounded-xl border border-line">
        <table className="w-full text-left text-[0.95rem]">
          <caption className="sr-only">Purchases and their change</caption>
          <thead className="bg-raised text-sm">
            <tr>
              {COLUMNS.map(([title, className]) => (
                <th key={title} scope="col" className={`px-2 py-2.5 font-medium sm:px-3 ${className}`}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE).map((row) => (
              <PurchaseRow
                key={row.purchase.id}
                {...row}
                isIncluded={!excludedIds.has(row.purchase.id)}
                onToggle={togglePurchase}
              />
            ))}
          </tbody>
        </table>
      </div>
      {pageCount > 1 && (
        <nav aria-label="Pages of purchases" className="flex flex-wrap items-center gap-3">
          <SecondaryButton disabled={page === 0} onClick={() => setPage(page - 1)}>
            Earlier
          </SecondaryButton>
          <span aria-live="polite" className="text-sm text-soft">
            Page {page + 1} of {pageCount}
          </span>
          <SecondaryButton disabled={page === pageCount - 1} onClick={() => setPage(page + 1)}>
            Later
          </SecondaryButton>
        </nav>
      )}
    </>
  );
}

function PurchaseRow({
  purchase,
  preview,
  isIncluded,
  onToggle,
}: Row & { isIncluded: boolean; onToggle: (id: number) => void }) {
  const name = purchase.description || purchase.date || `Purchase ${purchase.id}`;
  return (
    <tr className={isIncluded ? "" : "text-soft"}>
      <td className="px-2 py-1.5 sm:px-3">
        <label className="grid size-9 place-items-center">
          <span className="sr-only">Save {name}</span>
          <input
            type="checkbox"
            checked={isIncluded && !preview.skipped}
            disabled={preview.skipped}
            onChange={() => onToggle(purchase.id)}
            className="size-5 accent-accent"
          />
        </label>
      </td>
      <td className="px-2 py-1.5 sm:px-3">
        <span className="block wrap-anywhere">{name}</span>
        <span className="block text-sm text-soft">
          {purchase.description && purchase.date}
          {purchase.isDuplicate && " · same as a row above"}
        </span>
      </td>
      <td className="px-2 py-1.5 sm:px-3 text-right">
        <UsdAmount usd={fromMicroUsd(purchase.microUsd)} />
      </td>
      <td className="px-2 py-1.5 sm:px-3 text-right">
        {preview.skipped ? <span className="text-soft">none</span> : <UsdAmount usd={preview.roundUpUsd} isExact />}
        {preview.capped && <span className="block text-sm text-soft">limited to your maximum</span>}
      </td>
    </tr>
  );
}
