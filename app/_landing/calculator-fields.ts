import { CEILING_USD, PURCHASE_USD, ROUND_TO_USD } from "@/lib/domain/limits";
import { roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD, RECOMMENDED_PLAN } from "@/lib/domain/plans";
import { type Choice, previewRoundUp, type Terms } from "../../lib/sdk/preview-round-up";
import { parseAmountInRange, parseAmounts } from "../_components/amount";
import type { Year } from "./year";

/** The values of the landing page's fields. */
export interface CalculatorFields {
  purchase: string;
  perWeek: string;
  choice: Choice;
  increment: string;
  ceiling: string;
  typical: string;
}

export const DEFAULT_FIELDS: CalculatorFields = {
  purchase: "27.63",
  perWeek: "15",
  choice: RECOMMENDED_PLAN,
  increment: "0.25",
  ceiling: DEFAULT_CEILING_USD.toFixed(2),
  typical: "",
};

const PER_WEEK = { min: 1, max: 500 } as const;

/** Parses the fields and returns their errors. */
export function readFields({ purchase, perWeek, choice, increment, ceiling, typical }: CalculatorFields) {
  const [price, count] = [parseAmountInRange(purchase, PURCHASE_USD), parseAmountInRange(perWeek, PER_WEEK, String)];
  const [step, limit] = [parseAmountInRange(increment, ROUND_TO_USD), parseAmountInRange(ceiling, CEILING_USD)];
  const isWholeNumber = count.value !== null && Number.isInteger(count.value);
  const areTermsValid = limit.error === null && (choice !== "custom" || step.error === null);
  const terms: Terms | null = areTermsValid
    ? { choice, incrementUsd: step.value ?? 0, ceilingUsd: limit.value! }
    : null;
  const amounts = parseAmounts(typical);
  const result = terms && price.value !== null ? previewRoundUp(price.value, terms) : null;
  // A purchase without change would give a year without savings. The year then uses every cent ending equally often.
  const repeated = result && !result.skipped ? [price.value!] : [];
  return {
    errors: {
      purchase: price.error,
      perWeek: count.error ?? (isWholeNumber ? null : "A whole number, please."),
      increment: step.error,
      ceiling: limit.error,
      typical: amounts ? null : "Write amounts with spaces between, like 4.98 27.63.",
    },
    terms,
    result,
    /** Input of `computeYear`; null while one of its fields is invalid. */
    yearInput:
      isWholeNumber && amounts ? { perWeek: count.value!, amounts: amounts.length > 0 ? amounts : repeated } : null,
  };
}

/** Returns a twelfth of a year's savings, micro-dollars, rounded down. */
export const computeMonthlyPace = ({ investedUsd }: Year): bigint => toMicroUsd(roundToMicro(investedUsd)) / 12n;
