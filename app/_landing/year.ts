import { previewRoundUp, type RoundUpPreview, type Terms } from "@/lib/sdk/preview-round-up";

/** Every cent ending of a price, once. Models purchases when no amounts are given. */
const EVERY_ENDING = Array.from({ length: 100 }, (_, cents) => cents / 100);
export const WEEKS = 52;

export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Number of round-ups above zero. */
  roundUps: number;
}

/**
 * Computes a year of 52 weeks. Repeats the given purchases, or uses every cent ending equally often without any.
 * @param perWeek purchases a week
 */
export function yearOf(terms: Terms, perWeek: number, purchasesUsd: readonly number[]): Year {
  const sample = purchasesUsd.length > 0 ? purchasesUsd : EVERY_ENDING;
  const rounded = sample.map((usd) => previewRoundUp(usd, terms));
  const times = (perWeek * WEEKS) / sample.length;
  const sum = (of: (one: RoundUpPreview) => number) => rounded.reduce((total, one) => total + of(one), 0) * times;
  return {
    roundUpUsd: sum(({ roundUpUsd }) => roundUpUsd),
    feeUsd: sum(({ feeUsd }) => feeUsd),
    investedUsd: sum(({ investedUsd }) => investedUsd),
    roundUps: Math.round(sum(({ skipped }) => (skipped ? 0 : 1))),
  };
}
