import { stripVTControlCharacters } from "node:util";

/** C0 except tab and line feed, DEL, C1, marks and overrides of text direction, and the Unicode line separators. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Removes escape sequences and control characters, which could rewrite the terminal's output. Line breaks stay. */
export const cleanText = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, "");

/** Cleans text and joins it into one line. A text of the service could otherwise imitate a line of this program. */
export const oneLine = (text: string): string => cleanText(text).replace(/[\n\t]+/g, " ");

/** Cleans every string in a JSON value, each into one line. */
export function cleanValue<T>(value: T): T {
  if (typeof value === "string") return oneLine(value) as T;
  if (Array.isArray(value)) return value.map(cleanValue) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [oneLine(name), cleanValue(part)])) as T;
}
