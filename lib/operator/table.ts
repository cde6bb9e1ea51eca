import { LAMPORTS_PER_SOL } from "../solana/lamports";

export interface Column {
  title: string;
  align: "left" | "right";
}

/**
 * Renders plain text with aligned columns, two spaces apart, a rule under the titles and no trailing spaces.
 * @param rows one cell per column
 */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const formatLine = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? "";
        const width = widths[index] ?? 0;
        return align === "right" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [
    formatLine(columns.map(({ title }) => title)),
    formatLine(widths.map((width) => "-".repeat(width))),
    ...rows.map(formatLine),
  ].join("\n");
}

/** Formats lamports, which may be negative, as exact SOL. There are always nine decimals, so that columns align. */
export function formatSol(lamports: bigint): string {
  const absoluteLamports = lamports < 0n ? -lamports : lamports;
  const fraction = (absoluteLamports % LAMPORTS_PER_SOL).toString().padStart(9, "0");
  return `${lamports < 0n ? "-" : ""}${absoluteLamports / LAMPORTS_PER_SOL}.${fraction}`;
}
