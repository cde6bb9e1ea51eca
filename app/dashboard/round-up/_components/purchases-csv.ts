import Papa from "papaparse";
import { parseAmount } from "@/app/_components/amount";
import { BATCH_SIZE, PURCHASE_USD } from "@/lib/domain/limits";

/** One purchase of a bank's or a card's export. */
export interface Purchase {
  /** Its place in the list; also tells equal purchases apart. */
  id: number;
  date: string;
  description: string;
  amountUsd: number;
  /** The same date, description and amount stand above it. */
  duplicate: boolean;
}

interface UnreadRow {
  /** Line in the file, from 1. */
  line: number;
  reason: string;
}

/** How spending is written: as 4.35 or as -4.35. */
export type Spending = "plain" | "minus";

export interface Purchases {
  purchases: Purchase[];
  unread: UnreadRow[];
  spending: Spending;
  /** Both signs occur, so only the person knows which of them is spending. */
  mixed: boolean;
}

const HEADS = {
  date: /date|datum|fecha|day/i,
  description: /desc|name|merchant|payee|text|detail|memo|narrative/i,
  amount: /amount|value|sum|total|price|usd|debit|betrag/i,
};

/**
 * Purchases from CSV text: comma, semicolon or tab; with or without a header; decimal comma; dollar signs. Money that came
 * in and rows that cannot be read are listed with the reason, never guessed.
 * @param spending how it is written where both signs occur; the more frequent sign unless told
 */
export function readPurchases(text: string, spending?: Spending): Purchases {
  const { data } = Papa.parse<string[]>(text.trim(), { skipEmptyLines: "greedy" });
  const [first = []] = data;
  const hasHeader = first.every((cell) => amountOf(cell) === null) && first.some((cell) => HEADS.amount.test(cell));
  const columns = hasHeader ? columnsByHeader(first) : columnsByContent(data);
  const rows = data.slice(hasHeader ? 1 : 0);
  const amounts = rows.map((row) => amountOf(row[columns.amount] ?? "") ?? 0);
  const [plain, minus] = [amounts.filter((amount) => amount > 0).length, amounts.filter((amount) => amount < 0).length];
  const result: Purchases = {
    purchases: [],
    unread: [],
    spending: spending ?? (minus > plain ? "minus" : "plain"),
    mixed: plain > 0 && minus > 0,
  };
  const sign = result.spending === "minus" ? -1 : 1;
  const seen = new Set<string>();
  rows.forEach((row, i) => {
    const line = i + (hasHeader ? 2 : 1);
    const reason = addRow(row, columns, sign, result.purchases, seen);
    if (reason) result.unread.push({ line, reason });
  });
  return result;
}

interface Columns {
  date: number;
  description: number;
  amount: number;
}

function columnsByHeader(header: string[]): Columns {
  const find = (pattern: RegExp, not = /^$/) => header.findIndex((cell) => pattern.test(cell) && !not.test(cell));
  const amount = find(HEADS.amount, HEADS.date);
  return { date: find(HEADS.date), description: find(HEADS.description), amount };
}

/**
 * The first column that looks like a date; of those whose cells mostly are amounts the first with cents, since a number or
 * reference may stand before and a balance after it; then any text.
 */
function columnsByContent(rows: string[][]): Columns {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const share = (column: number, is: (cell: string) => boolean) =>
    rows.filter((row) => is(row[column] ?? "")).length * 2 > rows.length;
  const all = Array.from({ length: width }, (_, column) => column);
  const date = all.find((column) => share(column, isDate)) ?? -1;
  const amounts = all.filter((column) => column !== date && share(column, (cell) => amountOf(cell) !== null));
  const amount = amounts.find((column) => share(column, (cell) => /[.,]\d\d?\D*$/.test(cell))) ?? amounts.at(-1) ?? -1;
  const description = all.find((column) => column !== date && column !== amount) ?? -1;
  return { date, description, amount };
}

const isDate = (cell: string) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?$/.test(cell.trim());

/** Signed; null when the cell is no amount. */
function amountOf(cell: string): number | null {
  const bare = cell
    .trim()
    .replace(/\s*(usd|us\$)\s*/i, "")
    .replace("−", "-");
  const negative = /^-|^\(.*\)$/.test(bare);
  const amount = parseAmount(bare.replace(/^[-+]|^\(|\)$/g, ""));
  return amount === null ? null : negative ? -amount : amount;
}

/** @returns why the row was left out, or null */
function addRow(
  row: string[],
  columns: Columns,
  sign: 1 | -1,
  purchases: Purchase[],
  seen: Set<string>,
): string | null {
  const cell = row[columns.amount];
  if (cell === undefined || cell.trim() === "") return "has no amount";
  const signed = amountOf(cell);
  if (signed === null) return `the amount “${cell.trim().slice(0, 30)}” cannot be read`;
  const amountUsd = signed === 0 ? 0 : sign * signed;
  if (amountUsd < 0) return "money that came in, not a purchase";
  if (amountUsd > PURCHASE_USD.max) return `more than $${PURCHASE_USD.max.toLocaleString("en-US")}`;
  if (purchases.length >= BATCH_SIZE.max) return `more than ${BATCH_SIZE.max} purchases; save the rest in a second go`;
  const date = (row[columns.date] ?? "").trim().slice(0, 40);
  const description = (row[columns.description] ?? "").trim().slice(0, 120);
  const key = JSON.stringify([date, description, amountUsd]);
  purchases.push({ id: purchases.length, date, description, amountUsd, duplicate: seen.has(key) });
  seen.add(key);
  return null;
}

export const EXAMPLE_CSV = `date,description,amount
2026-11-02,Corner bakery,4.35
2026-11-02,Metro ticket,2.90
2026-11-03,Groceries,37.18
2026-11-04,Bookshop,18.25
2026-11-05,Coffee,3.60
2026-11-06,Pharmacy,12.49
2026-11-07,Cinema,24.00
2026-11-08,Refund bookshop,-18.25
2026-11-09,Corner bakery,5.20
2026-11-10,Lunch,8.75
2026-11-11,Groceries,41.32
2026-11-12,Coffee,3.60
2026-11-12,Metro ticket,2.90
2026-11-14,Pizza,15.15
2026-11-16,Flowers,6.40
2026-11-17,Shirt,29.99
2026-11-19,Lunch,11.10
2026-11-20,Corner bakery,4.35
2026-11-21,Groceries,52.64
2026-11-24,Magazine,9.25
2026-11-26,Coffee,3.60
`;
