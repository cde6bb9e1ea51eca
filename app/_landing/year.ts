import { previewRoundUp, type RoundUpPreview, type Terms } from "@/lib/sdk/preview-round-up";

/** Each cent ending of a price once, USD. Models purchases when no amounts are given. */
const CENT_ENDINGS = Array.from({ length: 100 }, (_, cents) => cents / 100);
export const WEEKS_PER_YEAR = 52;

export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Number of round-ups above zero. */
  roundUps: number;
}

/**
 * Sums the round-ups of 52 weeks. Repeats the given purchases, or uses every cent ending equally often if there are
 * none.
 * @param perWeek purchases a week
 */
export function computeYear(terms: Terms, perWeek: number, purchasesUsd: readonly number[]): Year {
  const sample = purchasesUsd.length > 0 ? purchasesUsd : CENT_ENDINGS;
  const previews = sample.map((usd) => previewRoundUp(usd, terms));
  const times = (perWeek * WEEKS_PER_YEAR) / sample.length;
  const sum = (select: (preview: RoundUpPreview) => number) =>
    previews.reduce((total, preview) => total + select(preview), 0) * times;
  return {
    roundUpUsd: sum(({ roundUpUsd }) => roundUpUsd),
    feeUsd: sum(({ feeUsd }) => feeUsd),
    investedUsd: sum(({ investedUsd }) => investedUsd),
    roundUps: Math.round(sum(({ skipped }) => (skipped ? 0 : 1))),
  };
}
