import { type Decimal, parseBothWays } from "./readings";

export interface AmountCell {
  /** Digits and separators, without sign, currency and spaces. */
  digits: string;
  negative: boolean;
  /** ISO 4217 code. Null when the cell names no currency. */
  currency: string | null;
}

const CURRENCY_SIGNS: Record<string, string> = {
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

/** Parses a currency: returns "EUR" for "€", "eur" and "EUR". Null when the text is not a currency. */
export function parseCurrency(text: string): string | null {
  const bare = text.trim().toUpperCase();
  if (Object.hasOwn(CURRENCY_SIGNS, bare)) return CURRENCY_SIGNS[bare]!;
  return /^[A-Z]{3}$/.test(bare) ? bare : null;
}

const CURRENCY_PATTERN = String.raw`[A-Z]{0,2}\$|[A-Z]{3}|EURO|[€£¥₹]|ZŁ`;
const AMOUNT_PATTERN = new RegExp(
  `^(${CURRENCY_PATTERN})?([-+(]?)(${CURRENCY_PATTERN})?([-+]?)([\\d.,]+)(-?)(${CURRENCY_PATTERN})?(\\)?)$`,
  "i",
);

/** Parses a cell without deciding what its separators mean. Null when the cell is not an amount. */
export function parseAmountCell(cell: string): AmountCell | null {
  const found = AMOUNT_PATTERN.exec(removeSpaces(cell.replace(/[−–]/g, "-").trim()));
  if (!found) return null;
  const [, first, before = "", second, inner = "", digits = "", after = "", last, closing = ""] = found;
  const names = [first, second, last].filter((name) => name !== undefined);
  const signs = [before, inner, after].filter((sign) => sign !== "" && sign !== "(");
  if (names.length > 1 || signs.length > 1 || (before === "(") !== (closing === ")")) return null;
  const { point, comma } = parseBothWays(digits);
  if (point === null && comma === null) return null;
  const negative = before === "(" || signs.includes("-");
  return { digits, negative, currency: names.length > 0 ? parseCurrency(names[0]!) : null };
}

/** Drops spaces and apostrophes that group thousands or surround the currency. Elsewhere they separate two numbers. */
function removeSpaces(text: string): string {
  const grouped = text.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, "");
  return /\d[\s'’]+\d/.test(grouped) ? grouped : grouped.replace(/\s/g, "");
}

/** Returns whether the separators allow two different values, as in 1,234. */
export function isUnclear({ digits }: AmountCell): boolean {
  const { point, comma } = parseBothWays(digits);
  return point !== null && comma !== null && point !== comma;
}

/** Infers the decimal separator from a list's amounts. Null when they give no evidence or contradict each other. */
export function inferDecimal(cells: readonly AmountCell[]): Decimal | null {
  const isOnly = (mark: Decimal, other: Decimal) =>
    cells.some(({ digits }) => parseBothWays(digits)[mark] !== null && parseBothWays(digits)[other] === null);
  const [point, comma] = [isOnly("point", "comma"), isOnly("comma", "point")];
  return point === comma ? null : point ? "point" : "comma";
}

/** Returns the signed amount. Null when it has two possible readings and `decimal` does not decide between them. */
export function toAmount(cell: AmountCell, decimal: Decimal | null): number | null {
  if (decimal === null && isUnclear(cell)) return null;
  const { point, comma } = parseBothWays(cell.digits);
  const value = decimal === "comma" ? (comma ?? point!) : (point ?? comma!);
  return cell.negative && value !== 0 ? -value : value;
}
