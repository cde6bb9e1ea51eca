import { parseAmountCell } from "./amount-cell";

/** The index of each column, from 0; -1 for a missing column. */
export interface ColumnIndexes {
  date: number;
  description: number;
  amount: number;
  currency: number;
}

const HEADER_PATTERNS = {
  date: /date|datum|fecha|day|buchungstag/i,
  description: /desc|name|merchant|payee|text|detail|memo|narrative|beschreibung|zweck|empfänger|händler/i,
  amount: /amount|value|sum|total|price|gross|usd|debit|betrag|umsatz|importe|montant/i,
  /** Matches whole headers only, so it skips columns of a second amount such as "Foreign currency". */
  currency: /^(currency|ccy|währung|waehrung|moneda|devise)( code)?$/i,
};

/** Returns whether a first row is a header: one cell names the amount, and no cell is an amount. */
export const isHeaderRow = (cells: string[]) =>
  cells.every((cell) => parseAmountCell(cell) === null) && cells.some((cell) => HEADER_PATTERNS.amount.test(cell));

export function findColumnsByHeader(header: string[]): ColumnIndexes {
  const headerCells = header.map((cell) => cell.trim());
  const findColumn = (pattern: RegExp, excluded = /^$/) =>
    headerCells.findIndex((cell) => pattern.test(cell) && !excluded.test(cell));
  return {
    date: findColumn(HEADER_PATTERNS.date),
    description: findColumn(HEADER_PATTERNS.description),
    amount: findColumn(HEADER_PATTERNS.amount, HEADER_PATTERNS.date),
    currency: findColumn(HEADER_PATTERNS.currency),
  };
}

/**
 * Detects columns from their content.
 * - Date: the first column that looks like dates.
 * - Amount: the first column of amounts with cents. A reference number may come before it, and a balance after it.
 * - Currency: a column of three capital letters next to the amount.
 * - Description: the first remaining column.
 */
export function detectColumns(rows: string[][]): ColumnIndexes {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const matchesMostly = (column: number, isMatch: (cell: string) => boolean) =>
    rows.filter((row) => isMatch(row[column] ?? "")).length * 2 > rows.length;
  const columns = Array.from({ length: width }, (_, column) => column);
  const date = columns.find((column) => matchesMostly(column, isDateCell)) ?? -1;
  const amounts = columns.filter(
    (column) => column !== date && matchesMostly(column, (cell) => parseAmountCell(cell) !== null),
  );
  const amount = amounts.find((column) => matchesMostly(column, hasCents)) ?? amounts.at(-1) ?? -1;
  // Banks write the currency next to the amount. Three capital letters elsewhere may mean anything.
  const currency =
    [amount + 1, amount - 1].find((column) => amount >= 0 && matchesMostly(column, isCurrencyCode)) ?? -1;
  const description = columns.find((column) => column !== date && column !== amount && column !== currency) ?? -1;
  return { date, description, amount, currency };
}

/** Returns whether a cell is an amount with one or two decimals. */
export const hasCents = (cell: string) => /[.,]\d\d?\D*$/.test(cell) && parseAmountCell(cell) !== null;
/** Returns whether a cell looks like a date: three groups of digits, and optionally a time. */
export const isDateCell = (cell: string) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?$/.test(cell.trim());
const isCurrencyCode = (cell: string) => /^[A-Z]{3}$/.test(cell.trim());
