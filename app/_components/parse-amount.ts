import { PAYMENT_USD_RANGE, type Range } from "@/lib/domain/limits";
import { parseBothWays } from "@/lib/domain/purchases/decimal-separator";
import { formatUsd } from "./money";

/** Removes white space and characters without a width, which some programs add to what they copy. */
export const removeInvisible = (text: string): string => text.replace(/[\s\p{Cf}]/gu, "");

/** Reads an address, also out of a payment link such as `solana:<address>?amount=1`. */
export const readAddress = (text: string): string => removeInvisible(text).replace(/^solana:([^?]*).*/i, "$1");

/** A typed amount as a plain decimal, such as "1234.5", or the message that says why the text is not one. */
type TypedDecimal = { decimal: string; error: null } | { decimal: null; error: string };

const MAX_LENGTH = 40;

/**
 * Parses a typed amount: "27,63", "1.234,50", "٢٧٫٦٣", "$5", "5 USD", or "0.5 BTC" with that unit. Refuses a text with
 * two meanings, such as "1.500", and names both.
 */
export function parseDecimal(text: string, unit = "US dollars"): TypedDecimal {
  const typedText = writeLatinDigits(removeInvisible(text));
  const unitPattern = unit === "US dollars" ? "US\\$|\\$|USD" : unit;
  const digits = typedText.replace(new RegExp(`^(?:${unitPattern})|(?:${unitPattern})$`, "gi"), "");
  const otherUnit = /^[a-z]{3,4}$|^\p{Sc}$/iu.exec(digits.replace(/[\d.,]/g, ""))?.[0];
  if (otherUnit && /\d/.test(digits)) return refuse(`Write the amount in ${unit}, not in ${otherUnit}.`);
  const { point, comma } = parseBothWays(digits.slice(0, MAX_LENGTH));
  const isValid = digits.length <= MAX_LENGTH && (point ?? comma) !== null;
  if (!isValid) return refuse("Write the amount with digits, like 27.63.");
  const [withPoint, withComma] = [digits.replaceAll(",", ""), digits.replaceAll(".", "").replace(",", ".")];
  if (point !== null && comma !== null && point !== comma) {
    const [smaller, larger] = [withPoint, withComma].sort((left, right) => Number(left) - Number(right));
    return refuse(`This can mean ${writeUnambiguously(smaller!)} or ${larger}. Write one of these.`);
  }
  return { decimal: point === null ? withComma : withPoint, error: null };
}

const refuse = (error: string): TypedDecimal => ({ decimal: null, error });

/** Replaces Arabic and Persian digits, and the Arabic decimal and thousands separators. */
const writeLatinDigits = (text: string): string =>
  text
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll("٫", ".")
    .replaceAll("٬", ",");

/** Writes a decimal without trailing zeros, and never with three decimals, because "1.125" could be thousands. */
export function writeUnambiguously(decimal: string): string {
  const shortDecimal = decimal.includes(".") ? decimal.replace(/\.?0*$/, "") : decimal;
  return /\.\d{3}$/.test(shortDecimal) ? `${shortDecimal}0` : shortDecimal;
}

/** @returns null for any text without exactly one meaning */
export function parseAmount(text: string): number | null {
  const { decimal } = parseDecimal(text);
  return decimal === null ? null : Number(decimal);
}

/** Parses an amount in the range, whose limits the error message shows by `formatLimit`. */
export function parseAmountInRange(
  text: string,
  range: Range,
  formatLimit: (limit: number) => string = formatUsd,
): { value: number; error: null } | { value: null; error: string } {
  if (text.trim() === "") return { value: null, error: "Type an amount." };
  const { decimal, error } = parseDecimal(text);
  if (decimal === null) return { value: null, error };
  const value = Number(decimal);
  if ("above" in range && value <= range.above) return { value: null, error: `More than ${formatLimit(range.above)}.` };
  if ("min" in range && value < range.min) return { value: null, error: `At least ${formatLimit(range.min)}.` };
  if (value > range.max) return { value: null, error: `At most ${formatLimit(range.max)}.` };
  return { value, error: null };
}

/** Parses a percentage of at most two decimals into basis points. */
export function parsePercentBps(text: string): number | null {
  const { decimal } = parseDecimal(text, "%");
  return decimal === null || /\.\d{3}/.test(decimal) ? null : Math.round(Number(decimal) * 100);
}

/** Splits at spaces, semicolons, or a comma and a space. @returns null if `findAmountsError` finds an error */
export const parseAmounts = (text: string): number[] | null =>
  findAmountsError(text) === null ? splitAmounts(text).map((amount) => parseAmount(amount)!) : null;

/** Says which of several amounts is no purchase, and why. */
export function findAmountsError(text: string): string | null {
  for (const amount of splitAmounts(text)) {
    const { error } = parseAmountInRange(amount, PAYMENT_USD_RANGE);
    if (error) return `“${amount}”: ${error}`;
  }
  return null;
}

const splitAmounts = (text: string) => text.split(/(?:;|,?\s+)/).filter((part) => part !== "" && part !== "$");
