import { CEILING_USD_RANGE, PAYMENT_USD_RANGE, ROUND_TO_USD_RANGE } from "@/lib/domain/limits";
import { roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD, RECOMMENDED_PLAN } from "@/lib/domain/plans";
import {
  type PlanOrCustom,
  type PreviewTerms,
  previewRoundUp,
  type RoundUpPreview,
} from "../../lib/sdk/preview-round-up";
import { findAmountsError, parseAmountInRange, parseAmounts } from "../_components/parse-amount";

/** As the visitor typed them. Amounts are US dollars. */
export interface CalculatorFields {
  purchase: string;
  perWeek: string;
  choice: PlanOrCustom;
  increment: string;
  ceiling: string;
  /** What the visitor usually pays: several amounts. */
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

/** Returns the error of each invalid field, and what the valid ones allow to compute. */
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
    /** Null while the purchase or the terms are invalid. */
    preview,
    /** Null while one of its fields is invalid. */
    yearInput: isWholeNumber && typicalAmounts ? { perWeek: parsedPerWeek.value!, purchasesUsd } : null,
  };
}

export const computeMonthlyPace = ({ investedUsd }: Year): bigint => toMicroUsd(roundToMicro(investedUsd)) / 12n;

/** One price (USD) for each number of cents, where no purchases are given. */
const CENT_ENDINGS = Array.from({ length: 100 }, (_, cents) => cents / 100);
export const WEEKS_PER_YEAR = 52;

/** Sums of a year. */
export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Those above zero. */
  roundUpCount: number;
}

/** Repeats the purchases for 52 weeks, or every cent ending equally often. */
export function computeYear(terms: PreviewTerms, purchasesPerWeek: number, purchasesUsd: readonly number[]): Year {
  const samplePurchases = purchasesUsd.length > 0 ? purchasesUsd : CENT_ENDINGS;
  const previews = samplePurchases.map((usd) => previewRoundUp(usd, terms));
  const repetitions = (purchasesPerWeek * WEEKS_PER_YEAR) / samplePurchases.length;
  const sumYear = (select: (preview: RoundUpPreview) => number) =>
    previews.reduce((total, preview) => total + select(preview), 0) * repetitions;
  return {
    roundUpUsd: sumYear(({ roundUpUsd }) => roundUpUsd),
    feeUsd: sumYear(({ feeUsd }) => feeUsd),
    investedUsd: sumYear(({ investedUsd }) => investedUsd),
    roundUpCount: Math.round(sumYear(({ skipped }) => (skipped ? 0 : 1))),
  };
}
