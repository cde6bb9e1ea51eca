import Papa from "papaparse";
import { parseAmountCell } from "./amount-cell";
import { type Columns, detectColumns, findColumnsByHeader, hasCents, isDate, isHeader } from "./columns";
import { type Decimal, parseBothWays } from "./readings";

export interface Row {
  /** Line number in the text, from 1. */
  line: number;
  cells: string[];
  /** Why the row's amount column is uncertain. Null when it is certain. */
  doubt: string | null;
}

export interface Table {
  columns: Columns;
  /** Header of the amount column. It may name the currency. */
  amountHeader: string;
  rows: Row[];
  /** A sample amount, such as 12,40, that commas may have split into two columns. Null when there is no such doubt. */
  splitSample: string | null;
}

/**
 * Splits a pasted list into rows and columns. A comma may be a column separator or a decimal comma: the width of the
 * rows decides. If the width does not decide, `decimal` does. The user is asked for it.
 */
export function parseTable(text: string, decimal: Decimal | null): Table {
  const lines = text.split(/\r\n|\r|\n/);
  const filledLines = lines
    .map((content, i) => ({ content: content.trim(), line: i + 1 }))
    .filter(({ content }) => content);
  const delimiter = ["\t", ";", "|"].find((mark) => isDelimiter(mark, filledLines));
  if (!delimiter && filledLines.every(({ content }, i) => isAmountLine(content, i)))
    return createAmountTable(filledLines);
  const rows = parseRows(text, delimiter ?? ",");
  const [firstRow] = rows;
  const header = firstRow && isHeader(firstRow.cells) ? firstRow.cells : null;
  const bodyRows = header ? rows.slice(1) : rows;
  if (delimiter) return createTable(bodyRows, header, null);
  return header
    ? createTable(repairRows(bodyRows, header.length, findColumnsByHeader(header).amount), header, null)
    : createTableWithoutHeader(bodyRows, decimal);
}

const TOO_WIDE_DOUBT = "has more columns than the others; put quotes around what holds a comma";
const AMBIGUOUS_DOUBT = "its comma may part two columns or be in the amount; say above which";

const createTable = (rows: Row[], header: string[] | null, splitSample: string | null): Table => {
  const columns = header ? findColumnsByHeader(header) : detectColumns(rows.map(({ cells }) => cells));
  return { columns, amountHeader: header?.[columns.amount] ?? "", rows, splitSample };
};

function parseRows(text: string, delimiter: string): Row[] {
  const { data } = Papa.parse<string[]>(text, { delimiter });
  return data
    .map((cells, i) => ({ line: i + 1, cells, doubt: null }))
    .filter(({ cells }) => cells.some((cell) => cell.trim()));
}

interface Line {
  content: string;
  line: number;
}

/** Returns whether the mark occurs in the first line and in more than half of all lines. */
const isDelimiter = (mark: string, lines: Line[]) =>
  lines[0]?.content.includes(mark) && lines.filter(({ content }) => content.includes(mark)).length * 2 > lines.length;

/** An optional text without commas, then an amount: "Bakery 12,40". */
const AMOUNT_LINE_PATTERN =
  /^(?:([^,"]*)[\s:])?((?:[A-Z]{2,3}|[$€£¥₹])?\s?[-+−–(]?\s?[$€£¥₹]?[\d.,'’]*\d-?\)?(?:\s?(?:[A-Z]{3}|[$€£¥₹]))?)$/i;

/** Returns whether a line fits a list of one amount per line. The first line may be a title. */
const isAmountLine = (content: string, i: number) =>
  content.includes(",") || content.includes('"') ? splitLine(content) !== null : i === 0 || /\d/.test(content);

/** Splits a line into an optional text and an amount. Returns null if it has another form. */
function splitLine(content: string): { text: string; amount: string } | null {
  if (parseAmountCell(content)) return { text: "", amount: content };
  const [, text = "", amount = ""] = AMOUNT_LINE_PATTERN.exec(content) ?? [];
  if (!parseAmountCell(amount)) return null;
  const lastWord = text.trim().split(/\s+/).at(-1) ?? "";
  // In "Bakery 1 234,50" the space may or may not separate thousands.
  const mayContinue = /\d$/.test(lastWord) && !isDate(lastWord) && /^\d{3}(?!\d)/.test(amount);
  return { text: text.trim(), amount: mayContinue ? content : amount };
}

/** Creates the table of a list with one amount per line. */
function createAmountTable(lines: Line[]): Table {
  const [firstLine] = lines;
  const title = firstLine && !/\d/.test(firstLine.content) ? firstLine.content : "";
  const rows = lines.slice(title ? 1 : 0).map(({ content, line }): Row => {
    const { text, amount } = splitLine(content) ?? { text: content, amount: "" };
    const [firstWord = "", ...rest] = text.split(/\s+/);
    const cells = isDate(firstWord) ? [firstWord, rest.join(" "), amount] : ["", text, amount];
    return { line, cells, doubt: null };
  });
  const columns = { date: 0, description: 1, amount: 2, currency: -1 };
  return { columns, amountHeader: title, rows, splitSample: null };
}

/** Repairs rows wider than the list: rejoins an amount that a comma split, and marks all other wide rows as doubtful. */
function repairRows(rows: Row[], width: number, amountColumn: number): Row[] {
  return rows.map((row) => {
    const usedWidth = row.cells.findLastIndex((cell) => cell.trim()) + 1;
    if (usedWidth <= width) return row;
    const joinedRow = joinCells(row, amountColumn);
    return usedWidth === width + 1 && isAmountAt(joinedRow, amountColumn)
      ? joinedRow
      : { ...row, doubt: TOO_WIDE_DOUBT };
  });
}

const isAmountAt = ({ cells }: Row, column: number) => parseAmountCell(cells[column] ?? "") !== null;

const joinCells = (row: Row, column: number): Row => ({
  ...row,
  cells: row.cells.toSpliced(column, 2, `${row.cells[column]},${row.cells[column + 1]}`),
});

/** Builds a table without a header. The most frequent width counts, unless every row may end in a split amount. */
function createTableWithoutHeader(rows: Row[], decimal: Decimal | null): Table {
  const widths = rows.map(({ cells }) => cells.length);
  const maxWidth = Math.max(0, ...widths);
  const usualWidth = findMostFrequent(widths);
  const widestRows = rows.filter(({ cells }) => cells.length === maxWidth);
  const splitColumn = maxWidth === usualWidth ? findSplitColumn(widestRows.map(({ cells }) => cells)) : -1;
  if (splitColumn >= 0) {
    const sample = joinCells(widestRows[0]!, splitColumn).cells[splitColumn]!.trim();
    const shouldJoin = ({ cells }: Row) => cells.length === maxWidth && decimal !== "point";
    const joinedRows = rows.map((row) => (shouldJoin(row) ? joinCells(row, splitColumn) : row));
    return createTable(
      joinedRows.map((row) => (decimal === null ? { ...row, doubt: AMBIGUOUS_DOUBT } : row)),
      null,
      sample,
    );
  }
  const { amount } = detectColumns(rows.filter(({ cells }) => cells.length === usualWidth).map(({ cells }) => cells));
  // Row widths vary, so any comma may be a decimal comma: "Rent,1,234.50" is as wide as "Lunch, with Ann,9.25".
  const checkedRows = widths.some((width) => width < usualWidth)
    ? rows.map((row) =>
        amount > 0 && isAmountAt(joinCells(row, amount - 1), amount - 1) ? { ...row, doubt: TOO_WIDE_DOUBT } : row,
      )
    : rows;
  return createTable(repairRows(checkedRows, usualWidth, amount), null, null);
}

/**
 * Finds the column of whole numbers that has two digits after it in every row. Returns -1 when there is none, or when
 * another cell already has cents.
 */
function findSplitColumn(rows: string[][]): number {
  if (rows.some((row) => row.some(hasCents))) return -1;
  const width = rows[0]?.length ?? 0;
  const isSplitAt = (column: number) =>
    rows.every((row) => {
      const [whole = "", cents = ""] = [row[column], row[column + 1]];
      const cell = parseAmountCell(`${whole.trim()},${cents.trim()}`);
      return cell !== null && /,\d\d$/.test(cell.digits) && parseBothWays(cell.digits).point === null;
    });
  return Array.from({ length: width }, (_, column) => column).find(isSplitAt) ?? -1;
}

function findMostFrequent(numbers: number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].reduce((mostFrequent, count) => (count[1] > mostFrequent[1] ? count : mostFrequent), [0, 0])[0];
}
