import { previewRoundUp, type RoundUpPreview, type Terms } from "@/lib/sdk/preview-round-up";

/** Every possible ending of a price in cents, each once: what prices look like when nothing is known about them. */
const EVERY_ENDING = Array.from({ length: 100 }, (_, cents) => cents / 100);
export const WEEKS = 52;

export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Round-ups that are more than nothing. */
  roundUps: number;
}

/**
 * A year of 52 weeks: the given purchases repeated, or every ending of a price equally often when there are none.
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
