import { amountCell } from "./amount-cell";

/** Column indexes. -1 for a missing column. */
export interface Columns {
  date: number;
  description: number;
  amount: number;
  currency: number;
}

const HEADS = {
  date: /date|datum|fecha|day|buchungstag/i,
  description: /desc|name|merchant|payee|text|detail|memo|narrative|beschreibung|zweck|empfänger|händler/i,
  amount: /amount|value|sum|total|price|gross|usd|debit|betrag|umsatz|importe|montant/i,
  /** Matches whole headers only, so it skips columns of a second amount such as "Foreign currency". */
  currency: /^(currency|ccy|währung|waehrung|moneda|devise)( code)?$/i,
};

/** Returns whether a first row is a header: one cell names the amount, and no cell is an amount. */
export const isHeader = (cells: string[]) =>
  cells.every((cell) => amountCell(cell) === null) && cells.some((cell) => HEADS.amount.test(cell));

export function columnsByHeader(header: string[]): Columns {
  const names = header.map((cell) => cell.trim());
  const find = (pattern: RegExp, not = /^$/) => names.findIndex((cell) => pattern.test(cell) && !not.test(cell));
  return {
    date: find(HEADS.date),
    description: find(HEADS.description),
    amount: find(HEADS.amount, HEADS.date),
    currency: find(HEADS.currency),
  };
}

/**
 * Detects columns from their content.
 * - Date: the first column that looks like dates.
 * - Amount: the first column of amounts with cents. A reference number may come before it, and a balance after it.
 * - Currency: a column of three capital letters next to the amount.
 * - Description: the first remaining column.
 */
export function columnsByContent(rows: string[][]): Columns {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const share = (column: number, is: (cell: string) => boolean) =>
    rows.filter((row) => is(row[column] ?? "")).length * 2 > rows.length;
  const all = Array.from({ length: width }, (_, column) => column);
  const date = all.find((column) => share(column, isDate)) ?? -1;
  const amounts = all.filter((column) => column !== date && share(column, (cell) => amountCell(cell) !== null));
  const amount = amounts.find((column) => share(column, hasCents)) ?? amounts.at(-1) ?? -1;
  // Banks write the currency next to the amount. Three capital letters elsewhere may mean anything.
  const currency = [amount + 1, amount - 1].find((column) => amount >= 0 && share(column, isCode)) ?? -1;
  const description = all.find((column) => column !== date && column !== amount && column !== currency) ?? -1;
  return { date, description, amount, currency };
}

export const hasCents = (cell: string) => /[.,]\d\d?\D*$/.test(cell) && amountCell(cell) !== null;
export const isDate = (cell: string) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?$/.test(cell.trim());
const isCode = (cell: string) => /^[A-Z]{3}$/.test(cell.trim());
