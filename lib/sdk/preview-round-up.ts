import { CEILING_USD } from "@/lib/domain/limits";
import { fromMicroUsd, roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { PLAN_NAMES, PLANS, type PlanName } from "@/lib/domain/plans";
import { type RoundUpRequest, roundUp, roundUpTerms, splitFee } from "@/lib/domain/round-up";

/** Plans and round-ups as pages show them before anybody is asked: by the very functions the server rounds with. */

export type Choice = PlanName | "custom";

export const PLAN_LIST = PLAN_NAMES.map((plan) => ({ plan, ...PLANS[plan] }));

export interface RoundUpPreview {
  roundedToUsd: number;
  roundUpUsd: number;
  feeUsd: number;
  investedUsd: number;
  feePercent: number;
  incrementUsd: number;
  skipped: boolean;
  capped: boolean;
}

export interface Terms {
  choice: Choice;
  /** Only looked at when the choice is custom. */
  incrementUsd: number;
  /** Of the change before it is multiplied. */
  ceilingUsd: number;
  /** 1 … 10; absent: 1. */
  multiplier?: number;
}

/** The terms as the API takes them, where the ceiling is that of what is saved. */
export function requestTerms({ choice, incrementUsd, ceilingUsd, multiplier = 1 }: Terms): RoundUpRequest {
  return {
    ceiling: Math.min(roundToMicro(ceilingUsd * multiplier), CEILING_USD.max),
    ...(multiplier > 1 && { multiplier }),
    ...(choice === "custom" ? { roundToUsd: incrementUsd } : { plan: choice }),
  };
}

/** One purchase, rounded as POST /api/roundup does it. */
export function previewRoundUp(purchaseUsd: number, terms: Terms): RoundUpPreview {
  const { feeBps, ...rounding } = roundUpTerms(requestTerms(terms));
  const value = toMicroUsd(purchaseUsd);
  const change = roundUp(value, rounding);
  const { fee, investment } = splitFee(change.microUsd, feeBps);
  return {
    roundedToUsd: fromMicroUsd(value + change.microUsd),
    roundUpUsd: fromMicroUsd(change.microUsd),
    feeUsd: fromMicroUsd(fee),
    investedUsd: fromMicroUsd(investment),
    feePercent: Number(feeBps) / 100,
    incrementUsd: fromMicroUsd(rounding.incrementMicroUsd),
    skipped: change.skipped,
    capped: change.capped,
  };
}
