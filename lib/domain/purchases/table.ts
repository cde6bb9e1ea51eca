import Papa from "papaparse";
import { amountCell } from "./amount-cell";
import { type Columns, columnsByContent, columnsByHeader, hasCents, isDate, isHeader } from "./columns";
import { type Decimal, readings } from "./readings";

export interface Row {
  /** In the text, from 1. */
  line: number;
  cells: string[];
  /** Why nobody knows which of its cells is the amount, else null. */
  torn: string | null;
}

export interface Table {
  columns: Columns;
  /** What stands above the amounts; it may name their currency. */
  amountHead: string;
  rows: Row[];
  /** An amount that commas may have torn into two columns, as 12,40; null when that is no question. */
  torn: string | null;
}

/**
 * The rows and columns of a pasted list. Where a comma parts columns and may be a decimal comma too, the width of the rows
 * decides, and where that says nothing, `decimal`, which a person is asked for.
 */
export function tableOf(text: string, decimal: Decimal | null): Table {
  const lines = text.split(/\r\n|\r|\n/);
  const filled = lines.map((content, i) => ({ content: content.trim(), line: i + 1 })).filter(({ content }) => content);
  const delimiter = ["\t", ";", "|"].find((mark) => isDelimiter(mark, filled));
  if (!delimiter && filled.every(({ content }, i) => isOneAmount(content, i))) return amountPerLine(filled);
  const rows = parse(text, delimiter ?? ",");
  const [first] = rows;
  const header = first && isHeader(first.cells) ? first.cells : null;
  const body = header ? rows.slice(1) : rows;
  if (delimiter) return table(body, header, null);
  return header
    ? table(mended(body, header.length, columnsByHeader(header).amount), header, null)
    : bare(body, decimal);
}

const WIDER = "has more columns than the others; put quotes around what holds a comma";
const UNSAID = "its comma may part two columns or be in the amount; say above which";

const table = (rows: Row[], header: string[] | null, torn: string | null): Table => {
  const columns = header ? columnsByHeader(header) : columnsByContent(rows.map(({ cells }) => cells));
  return { columns, amountHead: header?.[columns.amount] ?? "", rows, torn };
};

function parse(text: string, delimiter: string): Row[] {
  const { data } = Papa.parse<string[]>(text, { delimiter });
  return data
    .map((cells, i) => ({ line: i + 1, cells, torn: null }))
    .filter(({ cells }) => cells.some((cell) => cell.trim()));
}

interface Line {
  content: string;
  line: number;
}

/** It stands in most lines, the first among them. */
const isDelimiter = (mark: string, lines: Line[]) =>
  lines[0]?.content.includes(mark) && lines.filter(({ content }) => content.includes(mark)).length * 2 > lines.length;

/** A text without a comma, if any, and an amount: "Bakery 12,40". */
const AMOUNT_PER_LINE =
  /^(?:([^,"]*)[\s:])?((?:[A-Z]{2,3}|[$€£¥₹])?\s?[-+−–(]?\s?[$€£¥₹]?[\d.,'’]*\d-?\)?(?:\s?(?:[A-Z]{3}|[$€£¥₹]))?)$/i;

/** Whether nothing in a line asks for columns. The first may be a title. */
const isOneAmount = (content: string, i: number) =>
  content.includes(",") || content.includes('"') ? partsOf(content) !== null : i === 0 || /\d/.test(content);

function partsOf(content: string): { text: string; amount: string } | null {
  if (amountCell(content)) return { text: "", amount: content };
  const [, text = "", amount = ""] = AMOUNT_PER_LINE.exec(content) ?? [];
  if (!amountCell(amount)) return null;
  const last = text.trim().split(/\s+/).at(-1) ?? "";
  // "Bakery 1 234,50": the space may part thousands, or not.
  const mayGoOn = /\d$/.test(last) && !isDate(last) && /^\d{3}(?!\d)/.test(amount);
  return { text: text.trim(), amount: mayGoOn ? content : amount };
}

function amountPerLine(lines: Line[]): Table {
  const [first] = lines;
  const title = first && !/\d/.test(first.content) ? first.content : "";
  const rows = lines.slice(title ? 1 : 0).map(({ content, line }): Row => {
    const { text, amount } = partsOf(content) ?? { text: content, amount: "" };
    const [start = "", ...rest] = text.split(/\s+/);
    const cells = isDate(start) ? [start, rest.join(" "), amount] : ["", text, amount];
    return { line, cells, torn: null };
  });
  return { columns: { date: 0, description: 1, amount: 2, currency: -1 }, amountHead: title, rows, torn: null };
}

/** Rows wider than the list: one whose amount a comma tore is put together again, any other is said to be torn. */
function mended(rows: Row[], width: number, amount: number): Row[] {
  return rows.map((row) => {
    const filled = row.cells.findLastIndex((cell) => cell.trim()) + 1;
    if (filled <= width) return row;
    const whole = joined(row, amount);
    return filled === width + 1 && isAmountAt(whole, amount) ? whole : { ...row, torn: WIDER };
  });
}

const isAmountAt = ({ cells }: Row, column: number) => amountCell(cells[column] ?? "") !== null;

const joined = (row: Row, column: number): Row => ({
  ...row,
  cells: [
    ...row.cells.slice(0, column),
    `${row.cells[column]},${row.cells[column + 1]}`,
    ...row.cells.slice(column + 2),
  ],
});

/** Without a header: the usual width is the list's, unless each of those rows ends in what may be one torn amount. */
function bare(rows: Row[], decimal: Decimal | null): Table {
  const widths = rows.map(({ cells }) => cells.length);
  const widest = Math.max(0, ...widths);
  const usual = mostFrequent(widths);
  const full = rows.filter(({ cells }) => cells.length === widest);
  const pair = widest === usual ? tornColumn(full.map(({ cells }) => cells)) : -1;
  if (pair >= 0) {
    const sample = joined(full[0]!, pair).cells[pair]!.trim();
    const isTorn = ({ cells }: Row) => cells.length === widest && decimal !== "point";
    const whole = rows.map((row) => (isTorn(row) ? joined(row, pair) : row));
    return table(
      whole.map((row) => (decimal === null ? { ...row, torn: UNSAID } : row)),
      null,
      sample,
    );
  }
  const { amount } = columnsByContent(rows.filter(({ cells }) => cells.length === usual).map(({ cells }) => cells));
  // "Rent,1,234.50" is as wide as "Lunch, with Ann,9.25": among rows of several widths a comma may stand in any of them.
  const doubted = widths.some((width) => width < usual)
    ? rows.map((row) => (amount > 0 && isAmountAt(joined(row, amount - 1), amount - 1) ? { ...row, torn: WIDER } : row))
    : rows;
  return table(mended(doubted, usual, amount), null, null);
}

/** The column of whole numbers that is followed by two digits in every row, where nothing else has cents; else -1. */
function tornColumn(rows: string[][]): number {
  if (rows.some((row) => row.some(hasCents))) return -1;
  const width = rows[0]?.length ?? 0;
  const isTornAt = (column: number) =>
    rows.every((row) => {
      const [whole = "", cents = ""] = [row[column], row[column + 1]];
      const cell = amountCell(`${whole.trim()},${cents.trim()}`);
      return cell !== null && /,\d\d$/.test(cell.digits) && readings(cell.digits).point === null;
    });
  return Array.from({ length: width }, (_, column) => column).find(isTornAt) ?? -1;
}

function mostFrequent(numbers: number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0];
}
