import { amountCell } from "./amount-cell";

/** Places of the columns; -1 for one that is not there. */
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
  /** Not those of another amount, as "Foreign currency". */
  currency: /^(currency|ccy|währung|waehrung|moneda|devise)( code)?$/i,
};

/** Whether a first row names columns: no amount in it, but the word for one. */
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
 * The first column that looks like a date; of those whose cells mostly are amounts the first with cents, since a number or
 * reference may stand before and a balance after it; one of three capitals is the currency; then any text.
 */
export function columnsByContent(rows: string[][]): Columns {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const share = (column: number, is: (cell: string) => boolean) =>
    rows.filter((row) => is(row[column] ?? "")).length * 2 > rows.length;
  const all = Array.from({ length: width }, (_, column) => column);
  const date = all.find((column) => share(column, isDate)) ?? -1;
  const amounts = all.filter((column) => column !== date && share(column, (cell) => amountCell(cell) !== null));
  const amount = amounts.find((column) => share(column, hasCents)) ?? amounts.at(-1) ?? -1;
  // Beside the amount, where banks write it: three capitals further off may be anything.
  const currency = [amount + 1, amount - 1].find((column) => amount >= 0 && share(column, isCode)) ?? -1;
  const description = all.find((column) => column !== date && column !== amount && column !== currency) ?? -1;
  return { date, description, amount, currency };
}

export const hasCents = (cell: string) => /[.,]\d\d?\D*$/.test(cell) && amountCell(cell) !== null;
export const isDate = (cell: string) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?$/.test(cell.trim());
const isCode = (cell: string) => /^[A-Z]{3}$/.test(cell.trim());
