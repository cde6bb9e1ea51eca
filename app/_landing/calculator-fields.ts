import { CEILING_USD, PURCHASE_USD, ROUND_TO_USD } from "@/lib/domain/limits";
import { roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD, RECOMMENDED_PLAN } from "@/lib/domain/plans";
import { type Choice, previewRoundUp, type Terms } from "../../lib/sdk/preview-round-up";
import { parseAmounts, readAmount } from "../_components/amount";
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

export const FIRST_FIELDS: CalculatorFields = {
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
  const [value, count] = [readAmount(purchase, PURCHASE_USD), readAmount(perWeek, PER_WEEK, String)];
  const [step, most] = [readAmount(increment, ROUND_TO_USD), readAmount(ceiling, CEILING_USD)];
  const whole = count.value !== null && Number.isInteger(count.value);
  const isClear = most.error === null && (choice !== "custom" || step.error === null);
  const terms: Terms | null = isClear ? { choice, incrementUsd: step.value ?? 0, ceilingUsd: most.value! } : null;
  const amounts = parseAmounts(typical);
  const result = terms && value.value !== null ? previewRoundUp(value.value, terms) : null;
  // A purchase without change would show a year of nothing. Then every cent ending counts alike.
  const repeated = result && !result.skipped ? [value.value!] : [];
  return {
    errors: {
      purchase: value.error,
      perWeek: count.error ?? (whole ? null : "A whole number, please."),
      increment: step.error,
      ceiling: most.error,
      typical: amounts ? null : "Write amounts with spaces between, like 4.98 27.63.",
    },
    terms,
    result,
    /** Input of the yearly result; null while one of its fields is invalid. */
    rhythm: whole && amounts ? { perWeek: count.value!, amounts: amounts.length > 0 ? amounts : repeated } : null,
  };
}

/** Returns a twelfth of a year's savings, micro-dollars, rounded down. */
export const paceOf = ({ investedUsd }: Year): bigint => toMicroUsd(roundToMicro(investedUsd)) / 12n;
