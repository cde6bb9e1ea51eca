import Papa from "papaparse";
import { parseAmountCell } from "./amount-cell";
import { type ColumnIndexes, detectColumns, findColumnsByHeader, hasCents, isHeaderRow } from "./columns";
import { type Decimal, parseBothWays } from "./decimal-separator";
import { hasNoColumns, readLine } from "./read-line";

export interface Row {
  /** Line number in the text, from 1. */
  line: number;
  cells: string[];
  /** Why the row's amount column is uncertain. Null when it is certain. */
  doubt: string | null;
}

export interface Table {
  columns: ColumnIndexes;
  /** Header of the amount column. It may name the currency. */
  amountHeader: string;
  rows: Row[];
  /** A sample amount, such as 12,40, that commas may have split into two columns. Null when there is no such doubt. */
  splitSample: string | null;
  unclearLines: UnclearLine[];
}

/** A line with several numbers, of which the user must name the amount. */
export interface UnclearLine extends Line {
  candidates: string[];
}

interface Line {
  content: string;
  /** Line number in the text, from 1. */
  line: number;
}

/** The amounts that the user named, by line number. */
type Answers = Readonly<Record<number, string>>;

/**
 * Splits a pasted list into rows and columns. A comma may be a column separator or a decimal comma: the number of
 * columns decides. If it does not, `decimal` decides, which the page asks the user for. Lines without columns are read
 * one by one.
 */
export function parseTable(text: string, decimal: Decimal | null, answers: Answers): Table {
  const lines = text.split(/\r\n|\r|\n/);
  const filledLines = lines
    .map((content, i) => ({ content: content.trim(), line: i + 1 }))
    .filter(({ content }) => content);
  const delimiter = ["\t", ";", "|"].find((character) => isDelimiter(character, filledLines));
  if (!delimiter && filledLines.every(({ content }, i) => isAmountLine(content, i)))
    return createLineTable(filledLines, answers);
  const rows = parseRows(text, delimiter ?? ",");
  const [firstRow] = rows;
  const header = firstRow && isHeaderRow(firstRow.cells) ? firstRow.cells : null;
  const bodyRows = header ? rows.slice(1) : rows;
  if (header) {
    const repairedRows = delimiter ? bodyRows : repairRows(bodyRows, header.length, findColumnsByHeader(header).amount);
    return createTable(repairedRows, header, null);
  }
  const table = delimiter ? createTable(bodyRows, null, null) : createTableWithoutHeader(bodyRows, decimal);
  // Below a header, a line without columns is a bank's note, such as "Balance 500.00".
  if (rows.some(({ cells }) => cells.length > 1 && isHeaderRow(cells))) return table;
  return table.columns.amount < 0 ? createLineTable(filledLines, answers) : readSingleCells(table, answers);
}

/** Returns whether a line fits a list of one amount per line. The first line may be a title. */
const isAmountLine = (content: string, i: number) =>
  /[,"]/.test(content) ? hasNoColumns(content) : i === 0 || /\d/.test(content);

/** Reads the rows that have no columns although the table has: "Coffee 4.35" between "2026-11-02,Bakery,4.35". */
function readSingleCells(table: Table, answers: Answers): Table {
  const readings = table.rows.map((row) =>
    row.cells.length === 1
      ? readRow({ content: row.cells[0]!.trim(), line: row.line }, table.columns, answers)
      : { row, unclear: [] },
  );
  return {
    ...table,
    rows: readings.map(({ row }) => row),
    unclearLines: readings.flatMap(({ unclear }) => unclear),
  };
}

const TOO_WIDE_DOUBT = "has more columns than the others; put quotes around what holds a comma";
const AMBIGUOUS_DOUBT = "its comma may part two columns or be in the amount; say above which";

const createTable = (rows: Row[], header: string[] | null, splitSample: string | null): Table => {
  const columns = header ? findColumnsByHeader(header) : detectColumns(rows.map(({ cells }) => cells));
  return { columns, amountHeader: header?.[columns.amount] ?? "", rows, splitSample, unclearLines: [] };
};

function parseRows(text: string, delimiter: string): Row[] {
  const { data } = Papa.parse<string[]>(text, { delimiter });
  return data
    .map((cells, i) => ({ line: i + 1, cells, doubt: null }))
    .filter(({ cells }) => cells.some((cell) => cell.trim()));
}

/** Returns whether a character separates columns: it occurs in the first line and in more than half of all lines. */
const isDelimiter = (character: string, lines: Line[]) =>
  lines[0]?.content.includes(character) &&
  lines.filter(({ content }) => content.includes(character)).length * 2 > lines.length;

/** Creates the table of a list without columns: one amount per line. */
function createLineTable(lines: Line[], answers: Answers): Table {
  const [firstLine] = lines;
  const title = firstLine && !/\d/.test(firstLine.content) ? firstLine.content : "";
  const columns = { date: 0, description: 1, amount: 2, currency: -1 };
  const readings = lines.slice(title ? 1 : 0).map((line) => readRow(line, columns, answers));
  return {
    columns,
    amountHeader: title,
    rows: readings.map(({ row }) => row),
    splitSample: null,
    unclearLines: readings.flatMap(({ unclear }) => unclear),
  };
}

const UNCLEAR_DOUBT = "does not say which number is the amount; say above";

/** Reads a line without columns as a row of these columns. */
function readRow(
  { content, line }: Line,
  columns: ColumnIndexes,
  answers: Answers,
): { row: Row; unclear: UnclearLine[] } {
  const { date, description, amount, candidates } = readLine(content, answers[line]);
  const texts = new Map([
    [columns.date, date],
    [columns.description, description],
    [columns.amount, amount],
  ]);
  const cells = Array.from({ length: Math.max(...texts.keys()) + 1 }, (_, column) => texts.get(column) ?? "");
  const isUnanswered = candidates.length > 0 && amount === "";
  return {
    row: { line, cells, doubt: isUnanswered ? UNCLEAR_DOUBT : null },
    unclear: candidates.length > 0 ? [{ line, content, candidates }] : [],
  };
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
