import { type Answer, answer } from "@/app/_components/round-up";
import { DEFAULT_CEILING_USD, type PlanName } from "@/lib/domain/plans";

/** Every possible ending of a price in cents, each once: what prices look like when nothing is known about them. */
const EVERY_ENDING = Array.from({ length: 100 }, (_, cents) => cents / 100);
const WEEKS = 52;

export interface Year {
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  /** Round-ups that are more than nothing. */
  roundUps: number;
}

/**
 * A year of one plan: the given purchases repeated, or every ending of a price equally often when there are none.
 * @param perWeek purchases a week
 */
export function yearOf(plan: PlanName, perWeek: number, purchasesUsd: readonly number[]): Year {
  const sample = purchasesUsd.length > 0 ? purchasesUsd : EVERY_ENDING;
  const rounded = sample.map((usd) => answer(usd, { choice: plan, incrementUsd: 0, ceilingUsd: DEFAULT_CEILING_USD }));
  const times = (perWeek * WEEKS) / sample.length;
  const sum = (of: (one: Answer) => number) => rounded.reduce((total, one) => total + of(one), 0) * times;
  return {
    roundUpUsd: sum(({ roundUpUsd }) => roundUpUsd),
    feeUsd: sum(({ feeUsd }) => feeUsd),
    investedUsd: sum(({ investedUsd }) => investedUsd),
    roundUps: Math.round(sum(({ skipped }) => (skipped ? 0 : 1))),
  };
}
