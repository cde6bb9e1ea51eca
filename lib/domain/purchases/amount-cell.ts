import { type Decimal, readings } from "./readings";

export interface AmountCell {
  /** Digits and separators, without sign, currency and spaces. */
  digits: string;
  negative: boolean;
  /** ISO 4217 code. Null when the cell names no currency. */
  currency: string | null;
}

const SIGNS: Record<string, string> = {
  $: "USD",
  US$: "USD",
  A$: "AUD",
  C$: "CAD",
  CA$: "CAD",
  AU$: "AUD",
  "€": "EUR",
  EURO: "EUR",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
  ZŁ: "PLN",
};

/** Returns "EUR" for "€", "eur" and "EUR". Null when the text is not a currency. */
export function currencyOf(text: string): string | null {
  const bare = text.trim().toUpperCase();
  if (Object.hasOwn(SIGNS, bare)) return SIGNS[bare]!;
  return /^[A-Z]{3}$/.test(bare) ? bare : null;
}

const NAME = String.raw`[A-Z]{0,2}\$|[A-Z]{3}|EURO|[€£¥₹]|ZŁ`;
const AROUND = new RegExp(`^(${NAME})?([-+(]?)(${NAME})?([-+]?)([\\d.,]+)(-?)(${NAME})?(\\)?)$`, "i");

/** Parses a cell without deciding what its separators mean. Null when the cell is not an amount. */
export function amountCell(cell: string): AmountCell | null {
  const found = AROUND.exec(withoutSpaces(cell.replace(/[−–]/g, "-").trim()));
  if (!found) return null;
  const [, first, before = "", second, inner = "", digits = "", after = "", last, closing = ""] = found;
  const names = [first, second, last].filter((name) => name !== undefined);
  const signs = [before, inner, after].filter((sign) => sign !== "" && sign !== "(");
  if (names.length > 1 || signs.length > 1 || (before === "(") !== (closing === ")")) return null;
  const { point, comma } = readings(digits);
  if (point === null && comma === null) return null;
  const negative = before === "(" || signs.includes("-");
  return { digits, negative, currency: names.length > 0 ? currencyOf(names[0]!) : null };
}

/** Drops spaces and apostrophes that group thousands or surround the currency. Elsewhere they separate two numbers. */
function withoutSpaces(text: string): string {
  const grouped = text.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, "");
  return /\d[\s'’]+\d/.test(grouped) ? grouped : grouped.replace(/\s/g, "");
}

/** Returns whether the separators allow two different values, as in 1,234. */
export function isUnclear({ digits }: AmountCell): boolean {
  const { point, comma } = readings(digits);
  return point !== null && comma !== null && point !== comma;
}

/** Infers the decimal separator from a list's amounts. Null when they give no evidence or contradict each other. */
export function decimalOf(cells: readonly AmountCell[]): Decimal | null {
  const only = (mark: Decimal, other: Decimal) =>
    cells.some(({ digits }) => readings(digits)[mark] !== null && readings(digits)[other] === null);
  const [point, comma] = [only("point", "comma"), only("comma", "point")];
  return point === comma ? null : point ? "point" : "comma";
}

/** Returns the signed amount. Null when it has two possible readings and `decimal` does not decide between them. */
export function amountOf(cell: AmountCell, decimal: Decimal | null): number | null {
  if (decimal === null && isUnclear(cell)) return null;
  const { point, comma } = readings(cell.digits);
  const value = decimal === "comma" ? (comma ?? point!) : (point ?? comma!);
  return cell.negative && value !== 0 ? -value : value;
}
