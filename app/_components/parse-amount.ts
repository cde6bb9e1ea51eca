import { PURCHASE_USD_RANGE, type Range } from "@/lib/domain/limits";
import { parseBothWays } from "@/lib/domain/purchases/decimal-separator";
import { formatUsd } from "./money";

/**
 * Parses a typed amount: "27.63", "27,63", "1,234.50", "1.234,50", "$5". A last comma with at most two digits after it
 * is a decimal comma. Any other comma must group thousands.
 * @returns null for any other text
 */
export function parseAmount(text: string): number | null {
  const compactText = text.replace(/[\s$]/g, "");
  const { point, comma } = parseBothWays(compactText);
  return point ?? (/,\d{0,2}$/.test(compactText) ? comma : null);
}

/**
 * Parses an amount and checks that it is in the range. If not, returns an error message for the user.
 * @param formatLimit formats a limit of the range for the message
 */
export function parseAmountInRange(
  text: string,
  range: Range,
  formatLimit: (limit: number) => string = formatUsd,
): { value: number; error: null } | { value: null; error: string } {
  if (text.trim() === "") return { value: null, error: "Type an amount." };
  const value = parseAmount(text);
  if (value === null) return { value, error: "Write the amount with digits, like 27.63." };
  if ("above" in range && value <= range.above) return { value: null, error: `More than ${formatLimit(range.above)}.` };
  if ("min" in range && value < range.min) return { value: null, error: `At least ${formatLimit(range.min)}.` };
  if (value > range.max) return { value: null, error: `At most ${formatLimit(range.max)}.` };
  return { value, error: null };
}

/**
 * Parses several amounts separated by spaces, semicolons, line breaks, or a comma and a space.
 * @returns null if any amount is invalid or above the maximum purchase; an empty list for empty text
 */
export function parseAmounts(text: string): number[] | null {
  const parts = text.split(/(?:;|,?\s+)/).filter((part) => part !== "" && part !== "$");
  const amounts = parts.map(parseAmount);
  return amounts.every((amount) => amount !== null && amount <= PURCHASE_USD_RANGE.max) ? (amounts as number[]) : null;
}
