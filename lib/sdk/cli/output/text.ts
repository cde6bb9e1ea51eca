import { stripVTControlCharacters } from "node:util";

/** C0 but tab and line feed, DEL, C1, the marks and overrides of writing direction, and the separators that end a line. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text without escape sequences and control characters, which could rewrite what a terminal shows. Line breaks stay. */
export const cleanText = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, "");

/** Clean text in one line, so that text of the service cannot pass for a line of this program. */
export const oneLine = (text: string): string => cleanText(text).replace(/[\n\t]+/g, " ");

/** Every text within a JSON value, each in one line. */
export function cleanValue<T>(value: T): T {
  if (typeof value === "string") return oneLine(value) as T;
  if (Array.isArray(value)) return value.map(cleanValue) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [oneLine(name), cleanValue(part)])) as T;
}
