import Papa from "papaparse";
import { hasCents, parseAmountCell } from "./amount-cell";

/** The cells of a list, before anything is known about its columns. */
export interface Table {
  /** Every row, blank ones too: index + 1 is the row's number in a spreadsheet. */
  rows: string[][];
  /** Number of the row with a quotation mark that is never closed: all later rows end up in its cell. Null if none. */
  openQuoteRow: number | null;
}

/**
 * Decodes a file: UTF-16 if it starts with a byte order mark of it, else UTF-8, else Windows-1252.
 * @returns null when the file is not text, for example an Excel workbook
 */
export function decodeText(bytes: Uint8Array): string | null {
  const text = new TextDecoder(findEncoding(bytes)).decode(bytes);
  return text.includes("\0") ? null : text;
}

function findEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** The comma is last: it also occurs in amounts and in texts. */
const DELIMITERS = [";", "\t", "|", ","];
/** Excel's own first line, which names the delimiter. */
const DELIMITER_LINE = /^"?sep=(.)"?\s*?(\r\n|\r|\n)/i;

/** Splits a list into cells. The delimiter is the one that `sep=` names, or that gives the most dates and amounts. */
export function parseTable(text: string): Table {
  const [line = "", namedDelimiter] = DELIMITER_LINE.exec(text) ?? [];
  const body = text.slice(line.length);
  const ratings = DELIMITERS.map((delimiter) =>
    parseRows(body, delimiter, 100)
      .data.flat()
      .reduce((sum, cell) => sum + rateCell(cell), 0),
  );
  const delimiter = namedDelimiter ?? DELIMITERS[ratings.indexOf(Math.max(...ratings))]!;
  const { data, errors } = parseRows(body, delimiter);
  const openQuote = errors.find(({ code }) => code === "MissingQuotes");
  return { rows: data, openQuoteRow: openQuote ? (openQuote.row ?? 0) + 1 : null };
}

const parseRows = (text: string, delimiter: string, preview = 0) => Papa.parse<string[]>(text, { delimiter, preview });

/** Whole numbers count least: a comma also makes two of 12,40. "2 Teas" is a text here, although "2 lei" is an amount. */
function rateCell(cell: string): number {
  if (isDateCell(cell)) return 1;
  const amount = parseAmountCell(cell);
  if (amount === null || /\p{Ll}/u.test(amount.unit)) return 0;
  return hasCents(amount) ? 1 : 0.001;
}

const DATES = [
  // 2026-11-02, 02.11.2026, 11/2/26, 1.10., 2026年11月2日
  String.raw`\D{0,2}\d{1,4} ?[-/.年] ?\d{1,2} ?[-/.月] ?\d{0,4}日?`,
  // 20261102
  String.raw`(19|20)\d\d[01]\d[0-3]\d`,
  // 2 Nov 2026, 02-Nov-26
  String.raw`\d{1,2}(st|nd|rd|th)?[-. ]{0,2}\p{L}{3,10}[-., ]{1,2}(\d{4}|\d\d)`,
  // Nov 2, 2026
  String.raw`\p{L}{3,10}\.? \d{1,2},? \d{4}`,
];
const DATE_PATTERN = new RegExp(`^(${DATES.join("|")})([ T]|$)`, "iu");

/** Returns whether a cell is a date, in any order of day, month and year, with or without a time. */
export const isDateCell = (cell: string): boolean => DATE_PATTERN.test(cell.trim().slice(0, 40));

export const isBlank = (row: readonly string[]): boolean => row.every((cell) => cell.trim() === "");

/** Returns the number of cells up to the last one that is not blank. */
export const measureWidth = (row: readonly string[]): number => row.findLastIndex((cell) => cell.trim() !== "") + 1;
