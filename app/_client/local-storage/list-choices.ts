"use client";

import { MAX_HEADER_ROW } from "@/lib/domain/purchases/guess-choices";
import type { ListChoices } from "@/lib/domain/purchases/list-choices";
import { measureWidth, type Table } from "@/lib/domain/purchases/read-table";
import { browserStore } from "./browser-storage";
import { parseFields, storeValue } from "./stored-value";

/** The choices of confirmed lists, by header. They hold column names and no row of a list. */
const STORAGE_KEY = "roundup-list-choices";
const MAX_HEADERS = 20;

/** Names the lists that look alike: those with the same header or, without a header, with as many columns. */
function toHeaderKey({ rows }: Table, headerRow: number): string {
  const header = rows[headerRow];
  return header
    ? JSON.stringify(header.map((cell) => cell.trim()))
    : `${Math.max(0, ...rows.slice(0, MAX_HEADER_ROW).map(measureWidth))} columns`;
}

const loadEntries = (): [string, unknown][] => Object.entries(parseFields(browserStore.get(STORAGE_KEY)));

/** Remembers the choices for the next list with this header. Works in the browser only. */
export function rememberListChoices(table: Table, choices: ListChoices): void {
  const key = toHeaderKey(table, choices.headerRow);
  const otherEntries = loadEntries().filter(([otherKey]) => otherKey !== key);
  storeValue(STORAGE_KEY, Object.fromEntries([...otherEntries.slice(1 - MAX_HEADERS), [key, choices]]));
}

/** Returns the choices of the last confirmed list with the same header, or null. Works in the browser only. */
export function recallListChoices(table: Table): ListChoices | null {
  const entries = new Map(loadEntries());
  const headerRows = [...table.rows.slice(0, MAX_HEADER_ROW).keys(), -1];
  const headerRow = headerRows.find((row) => entries.has(toHeaderKey(table, row)));
  if (headerRow === undefined) return null;
  const choices = parseListChoices(entries.get(toHeaderKey(table, headerRow)));
  return choices && { ...choices, headerRow };
}

/** Parses stored choices. Returns null when any of them is invalid. */
export function parseListChoices(value: unknown): ListChoices | null {
  const fields = Object(value);
  const { headerRow, date, description, amount, moneyIn, spendingSign, decimal, currency, filters } = fields;
  const isColumn = (column: unknown) => Number.isInteger(column) && (column as number) >= -1;
  const isFilter = (filter: unknown) => {
    const { column, kept } = Object(filter);
    return isColumn(column) && Object.values(Object(kept)).every((isKept) => typeof isKept === "boolean");
  };
  const isValid =
    [headerRow, date, description, amount, moneyIn].every(isColumn) &&
    ["plain", "minus"].includes(spendingSign) &&
    ["point", "comma", null].includes(decimal) &&
    (["usd", "other", null].includes(currency) || isColumn(currency)) &&
    Array.isArray(filters) &&
    filters.every(isFilter);
  return isValid ? { headerRow, date, description, amount, moneyIn, spendingSign, decimal, currency, filters } : null;
}
