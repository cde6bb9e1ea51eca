import { type PreviewTerms, previewRoundUp, type RoundUpPreview } from "@/lib/sdk/preview-round-up";

/** One price for each number of cents from 0 to 99, US dollars. They replace the purchases when none are given. */
const CENT_ENDINGS = Array.from({ length: 100 }, (_, cents) => cents / 100);
export const WEEKS_PER_YEAR = 52;

/** The sums of a year's purchases. */
export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Number of round-ups above zero. */
  roundUpCount: number;
}

/** Sums the round-ups of 52 weeks. Repeats the purchases, or uses every cent ending equally often if there are none. */
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
