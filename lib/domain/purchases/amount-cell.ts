import { type Decimal, parseBothWays } from "./decimal-separator";

export interface AmountCell {
  /** Digits and separators, without sign, currency and spaces. */
  digits: string;
  isNegative: boolean;
  /** ISO 4217 code, or a sign that CURRENCY_SIGNS lacks, such as HK$. Null when the cell does not name a currency. */
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

/** Parses a currency: returns "EUR" for "€", "eur" and "EUR", and "HK$" as it is. Returns null for any other text. */
export function parseCurrency(text: string): string | null {
  const code = text.trim().toUpperCase();
  if (Object.hasOwn(CURRENCY_SIGNS, code)) return CURRENCY_SIGNS[code]!;
  return /^([A-Z]{3}|[A-Z]{1,2}\$)$/.test(code) ? code : null;
}

const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** Codes that also count in lower case. Others do not, because "top", "pen" and "cup" are codes too. */
const COMMON_CODE_PATTERN = /^(usd|eur|gbp|chf|cad|aud|jpy|inr|pln)$/i;

/** Returns whether a word beside a number is its currency. In "Tea 3.10" it is not. */
export const isCurrency = (word: string): boolean =>
  CURRENCY_CODES.has(word) ||
  COMMON_CODE_PATTERN.test(word) ||
  (!/^[a-z]{3}$/i.test(word) && parseCurrency(word) !== null);

const CURRENCY_PATTERN = String.raw`[A-Z]{0,2}\$|[A-Z]{3}|EURO|[€£¥₹]|ZŁ`;
const AMOUNT_PATTERN = new RegExp(
  `^(${CURRENCY_PATTERN})?([-+(]?)(${CURRENCY_PATTERN})?([-+]?)([\\d.,]+)(-?)(${CURRENCY_PATTERN})?(\\)?)$`,
  "i",
);

/** Parses a cell without deciding what its separators mean. Returns null when the cell is not an amount. */
export function parseAmountCell(cell: string): AmountCell | null {
  const match = AMOUNT_PATTERN.exec(removeSpaces(cell.replace(/[−–]/g, "-").trim()));
  if (!match) return null;
  const [
    ,
    firstCurrency,
    firstSign = "",
    secondCurrency,
    secondSign = "",
    digits = "",
    lastSign = "",
    lastCurrency,
    closingBracket = "",
  ] = match;
  const currencies = [firstCurrency, secondCurrency, lastCurrency].filter((currency) => currency !== undefined);
  const signs = [firstSign, secondSign, lastSign].filter((sign) => sign !== "" && sign !== "(");
  if (currencies.length > 1 || signs.length > 1 || (firstSign === "(") !== (closingBracket === ")")) return null;
  if (!currencies.every(isCurrency)) return null;
  const { point, comma } = parseBothWays(digits);
  if (point === null && comma === null) return null;
  const isNegative = firstSign === "(" || signs.includes("-");
  return { digits, isNegative, currency: currencies.length > 0 ? parseCurrency(currencies[0]!) : null };
}

/**
 * Removes spaces and apostrophes that group thousands, and spaces around the currency. Keeps all spaces if any of them
 * separates two numbers.
 */
function removeSpaces(text: string): string {
  const ungroupedText = text.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, "");
  return /\d[\s'’]+\d/.test(ungroupedText) ? ungroupedText : ungroupedText.replace(/\s/g, "");
}

/** Returns whether the separators allow two different values, as in 1,234. */
export function isAmbiguous({ digits }: AmountCell): boolean {
  const { point, comma } = parseBothWays(digits);
  return point !== null && comma !== null && point !== comma;
}

/**
 * Infers the decimal separator from a list's amounts. Returns null when the amounts give no evidence or contradict each
 * other.
 */
export function inferDecimal(cells: readonly AmountCell[]): Decimal | null {
  const readings = cells.map(({ digits }) => parseBothWays(digits));
  const isPointProven = readings.some(({ point, comma }) => point !== null && comma === null);
  const isCommaProven = readings.some(({ point, comma }) => comma !== null && point === null);
  return isPointProven === isCommaProven ? null : isPointProven ? "point" : "comma";
}

/** Returns the signed amount. Returns null when the cell is ambiguous and `decimal` is null. */
export function toAmount(cell: AmountCell, decimal: Decimal | null): number | null {
  if (decimal === null && isAmbiguous(cell)) return null;
  const { point, comma } = parseBothWays(cell.digits);
  const value = decimal === "comma" ? (comma ?? point!) : (point ?? comma!);
  return cell.isNegative && value !== 0 ? -value : value;
}
