import { formatDecimal } from "../../../domain/money";
import type { Io } from "../io";
import { oneLine } from "./text";

/** Formats a value as a JSON document. Bigints become strings of digits. */
export const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part), 2);

/** Prints an answer: as one JSON document, or as lines for a person. */
export function printAnswer(
  io: Pick<Io, "print" | "say">,
  json: boolean | undefined,
  value: unknown,
  lines: string[],
): void {
  if (!json && lines.length === 0) io.say("There is nothing to list.");
  for (const line of json ? [toJson(value)] : lines) io.print(line);
}

export const formatSol = (lamports: bigint | number) => `${formatDecimal(lamports, 9)} SOL`;

/** Formats an event of a long-running command as one line: text for the user, or JSON for a program. */
export function formatLogLine(event: { text: string }, now: number, json: boolean): string {
  const time = new Date(now).toISOString();
  return json ? JSON.stringify({ time, ...event }) : `${time.slice(0, 19).replace("T", " ")}  ${oneLine(event.text)}`;
}
