import { CEILING_USD_RANGE, PAYMENT_USD_RANGE, ROUND_TO_USD_RANGE } from "@/lib/domain/limits";
import { roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD, RECOMMENDED_PLAN } from "@/lib/domain/plans";
import { type PlanOrCustom, type PreviewTerms, previewRoundUp } from "../../lib/sdk/preview-round-up";
import { findAmountsError, parseAmountInRange, parseAmounts } from "../_components/parse-amount";
import type { Year } from "./year";

/** The landing page's fields, as the visitor typed them. */
export interface CalculatorFields {
  /** The price of one purchase, US dollars. */
  purchase: string;
  /** Number of purchases a week. */
  perWeek: string;
  choice: PlanOrCustom;
  /** The step of the choice `custom`, US dollars. */
  increment: string;
  /** The most to save per payment, US dollars. */
  ceiling: string;
  /** What the visitor usually pays, several amounts in US dollars. */
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

const PURCHASES_PER_WEEK = { min: 1, max: 500 } as const;

/** Parses the fields. Returns the error of each invalid field, and what the valid fields allow to compute. */
export function readFields({ purchase, perWeek, choice, increment, ceiling, typical }: CalculatorFields) {
  const parsedPurchase = parseAmountInRange(purchase, PAYMENT_USD_RANGE);
  const parsedPerWeek = parseAmountInRange(perWeek, PURCHASES_PER_WEEK, String);
  const parsedIncrement = parseAmountInRange(increment, ROUND_TO_USD_RANGE);
  const parsedCeiling = parseAmountInRange(ceiling, CEILING_USD_RANGE);
  const isWholeNumber = parsedPerWeek.value !== null && Number.isInteger(parsedPerWeek.value);
  const areTermsValid = parsedCeiling.error === null && (choice !== "custom" || parsedIncrement.error === null);
  const terms: PreviewTerms | null = areTermsValid
    ? { choice, incrementUsd: parsedIncrement.value ?? 0, ceilingUsd: parsedCeiling.value! }
    : null;
  const typicalAmounts = parseAmounts(typical);
  const preview = terms && parsedPurchase.value !== null ? previewRoundUp(parsedPurchase.value, terms) : null;
  // A purchase without change would give a year without savings. The year then uses every cent ending equally often.
  const purchaseAmounts = preview && !preview.skipped ? [parsedPurchase.value!] : [];
  const purchasesUsd = typicalAmounts && typicalAmounts.length > 0 ? typicalAmounts : purchaseAmounts;
  return {
    errors: {
      purchase: parsedPurchase.error,
      perWeek: parsedPerWeek.error ?? (isWholeNumber ? null : "A whole number, please."),
      increment: parsedIncrement.error,
      ceiling: parsedCeiling.error,
      typical: findAmountsError(typical),
    },
    /** Null while the ceiling or the chosen step is invalid. */
    terms,
    /** The round-up of the purchase; null while the purchase or the terms are invalid. */
    preview,
    /** Input of `computeYear`; null while one of its fields is invalid. */
    yearInput: isWholeNumber && typicalAmounts ? { perWeek: parsedPerWeek.value!, purchasesUsd } : null,
  };
}

/** Returns a twelfth of a year's savings, micro-dollars, rounded down. */
export const computeMonthlyPace = ({ investedUsd }: Year): bigint => toMicroUsd(roundToMicro(investedUsd)) / 12n;
