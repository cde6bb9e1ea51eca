import { type Decimal, parseBothWays } from "./decimal-separator";

/** A cell such as "-$1,234.50", "(4.35)", "4,35 €" or "12.00 DR". */
export interface AmountCell {
  /** Digits and separators, without sign, currency and spaces. */
  digits: string;
  isNegative: boolean;
  /** The currency as written: "$", "EUR". Empty when the cell names none. */
  unit: string;
  /** Set when the cell itself says where the money went: "12.00 DR" is out, "12.00 CR" is in. */
  direction: "out" | "in" | null;
}

/** A longer cell is not an amount, and matching it would take long. */
const MAX_CELL_LENGTH = 40;
const AMOUNT_PATTERN = /^([^\d.,]*)(\d[\d.,'’ ]*|[.,]\d+)([^\d.,]*)$/;
const UNIT_PATTERN = /^[\p{L}\p{Sc}]{0,4}$/u;

/** Parses a cell without deciding what its separators mean. Returns null when the cell is not an amount. */
export function parseAmountCell(cell: string): AmountCell | null {
  if (cell.length > MAX_CELL_LENGTH) return null;
  const text = cell
    .replace(/[−–]/g, "-")
    .replace(/\s/g, " ")
    .replace(/(?<=\p{L})\./gu, "");
  const match = AMOUNT_PATTERN.exec(text.trim());
  if (!match) return null;
  const [, before = "", number = "", after = ""] = match;
  const marks = `${before}${after}`.replaceAll(" ", "");
  const signs = marks.replace(/[^-+()]/g, "");
  const [, unit = "", direction] = /^(.*?)([CD]R)?$/i.exec(marks.replace(/[-+()]/g, "")) ?? [];
  const digits = number.replace(/(?<=\d)[ '’](?=\d{3}(?!\d))/g, "").trim();
  const { point, comma } = parseBothWays(digits);
  if (!["", "-", "+", "()"].includes(signs) || !UNIT_PATTERN.test(unit) || (point === null && comma === null))
    return null;
  return {
    digits,
    isNegative: signs === "-" || signs === "()",
    unit,
    direction: direction === undefined ? null : direction.toUpperCase() === "DR" ? "out" : "in",
  };
}

/** Returns whether a currency column or the unit of an amount names US dollars. */
export const isDollar = (currency: string): boolean => /^(us ?\$|\$|usd|us dollars?)$/i.test(currency.trim());

/** Returns whether an amount has one or two decimals. */
export const hasCents = ({ digits }: AmountCell): boolean => /[.,]\d\d?$/.test(digits);

/** Returns whether the separators allow two different values, as in 1,234. */
export function isAmbiguous({ digits }: AmountCell): boolean {
  const { point, comma } = parseBothWays(digits);
  return point !== null && comma !== null && point !== comma;
}

/** Infers the decimal separator of a column. Returns null when its amounts are ambiguous or contradict each other. */
export function inferDecimal(cells: readonly AmountCell[]): Decimal | null {
  const readings = cells.map(({ digits }) => parseBothWays(digits));
  const isPointProven = readings.some(({ point, comma }) => point !== null && comma === null);
  const isCommaProven = readings.some(({ point, comma }) => comma !== null && point === null);
  if (isPointProven !== isCommaProven) return isPointProven ? "point" : "comma";
  return isPointProven || cells.some(isAmbiguous) ? null : "point";
}
