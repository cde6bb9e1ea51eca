import { stripVTControlCharacters } from "node:util";
import { formatDecimal } from "../../domain/money";
import type { Answer, Io } from "../io";

/** Matches C0 except tab and line feed, DEL, C1, marks and overrides of text direction, and Unicode line separators. */
const CONTROL_CHARACTERS_PATTERN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Removes escape sequences and control characters, which could rewrite the terminal's output. Line breaks stay. */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text).replace(CONTROL_CHARACTERS_PATTERN, "");

/** Cleans text and joins it into one line. A text of the service could otherwise imitate a line of this program. */
export const toOneLine = (text: string): string => cleanText(text).replace(/[\n\t]+/g, " ");

/** Cleans every string in a JSON value. */
export function cleanValue<Value>(value: Value): Value {
  if (typeof value === "string") return toOneLine(value) as Value;
  if (Array.isArray(value)) return value.map(cleanValue) as Value;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [toOneLine(name), cleanValue(member)]),
  ) as Value;
}

export const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? member.toString() : member), 2);

export function printAnswer(io: Io, isJson: boolean | undefined, { value, lines }: Answer): void {
  if (!isJson && lines.length === 0) io.say("There is nothing to list.");
  for (const line of isJson ? [toJson(value)] : lines.map(toOneLine)) io.print(line);
}

export type TableRow = [name: string, value: string];

/** A row, or the false condition in place of a row that the table leaves out. */
export type OptionalRow = TableRow | false | null | undefined;

export function formatTable(rows: OptionalRow[]): string[] {
  const shownRows = rows.filter((row): row is TableRow => Array.isArray(row));
  const nameWidth = Math.max(0, ...shownRows.map(([name]) => name.length));
  return shownRows.map(([name, value]) => toOneLine(`${name.padEnd(nameWidth)}  ${value}`));
}

export const formatSol = (lamports: bigint | number) => `${formatDecimal(lamports, 9)} SOL`;

export const formatUsdc = (units: bigint | number) => `${formatDecimal(units, 6)} USDC`;

/** Formats an event of a long-running command as one line: text for the user, or JSON for a program. */
export function formatLogLine(event: { text: string }, timeMs: number, isJson: boolean): string {
  const time = new Date(timeMs).toISOString();
  return isJson
    ? JSON.stringify({ time, ...event })
    : `${time.slice(0, 19).replace("T", " ")}  ${toOneLine(event.text)}`;
}
