import { ASSETS } from "../domain/assets";

/** Matches the cells of a numeric column, where a cell may be empty. */
const NUMERIC_CELL_PATTERN = /^-?[\d.]*$/;

/**
 * Renders plain text with aligned columns, two spaces apart, a rule under the titles and no trailing spaces. Numeric
 * columns are aligned right, all others left.
 * @param rows at most one cell per title; missing cells stay empty
 */
export function renderTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = titles.map((title, index) => {
    const cells = rows.map((row) => row[index] ?? "");
    const width = Math.max(title.length, ...cells.map((cell) => cell.length));
    return { width, isNumeric: cells.every((cell) => NUMERIC_CELL_PATTERN.test(cell)) };
  });
  const formatLine = (cells: readonly string[]) =>
    columns
      .map(({ width, isNumeric }, index) => cells[index]?.[isNumeric ? "padStart" : "padEnd"](width) ?? "")
      .join("  ")
      .trimEnd();
  const rule = columns.map(({ width }) => "-".repeat(width));
  return [titles, rule, ...rows].map(formatLine).join("\n");
}

/** Formats lamports, which may be negative, as exact SOL. There are always nine decimals, so that columns align. */
export const formatExactSol = (lamports: bigint): string => formatExact(lamports, 9);

/** Formats micro-USDC as exact USDC, with six decimals. */
export const formatExactUsdc = (units: bigint): string => formatExact(units, ASSETS.USDC.decimals);

function formatExact(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
