import { cpus } from "node:os";
import type { StorageFigures } from "./storage";

/** One target: the wanted value and the measured value, as texts. */
export interface Check {
  name: string;
  target: string;
  measured: string;
  isMet: boolean;
}

/** Formats the whole report as Markdown that is also readable on a terminal. @param storage null: not measured */
export function formatReport(checks: Check[], storage: StorageFigures | null): string {
  const processorName = cpus()[0]?.model ?? "unknown processor";
  const missedCount = checks.filter(({ isMet }) => !isMet).length;
  return [
    "# Bench",
    "",
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} cores (${processorName}), Node ${process.versions.node}.`,
    missedCount === 0 ? "Every target is met." : `**${missedCount} of ${checks.length} targets missed.**`,
    "",
    formatTable(
      ["Target", "Wanted", "Found", ""],
      checks.map(({ name, target, measured, isMet }) => [name, target, measured, isMet ? "ok" : "**MISSED**"]),
    ),
    ...(storage ? ["## Kept for a wallet", "", formatStorage(storage)] : []),
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

function formatStorage({ kinds, redisBytes, lmdbBytes, claimBytes }: StorageFigures): string {
  const rows = kinds.map(({ kind, records, bytes }) => [kind, String(records), String(bytes)]);
  return [
    `A wallet takes ${redisBytes ?? "an unknown number of"} bytes in Redis and ${lmdbBytes} in LMDB. Its largest lasting claim takes ${claimBytes}.`,
    "",
    formatTable(["record", "number", "bytes of keys and values"], rows),
  ].join("\n");
}

/** Formats a Markdown table whose columns are aligned in the source too. */
function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, 3, ...rows.map((row) => row[i]!.length)));
  const formatLine = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [formatLine(head), rule, ...rows.map(formatLine), ""].join("\n");
}
