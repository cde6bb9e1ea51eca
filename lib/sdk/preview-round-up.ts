/* Previews plans and round-ups for pages, without a request, with the server's functions. */

import { CEILING_USD_RANGE } from "@/lib/domain/limits";
import { fromMicroUsd, roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { PLAN_NAMES, PLANS, type PlanName } from "@/lib/domain/plans";
import { type RoundUpRequest, roundUp, splitFee, toRoundUpTerms } from "@/lib/domain/round-up";
import type { SavingTerms } from "./requests";

export type PlanOrCustom = PlanName | "custom";

export const PLAN_LIST = PLAN_NAMES.map((plan) => ({ plan, ...PLANS[plan] }));

export type RoundUpPreview = ReturnType<typeof previewRoundUp>;

/** The terms of a round-up, as a person chooses them on a page. */
export interface PreviewTerms {
  choice: PlanOrCustom;
  /** US dollars. Used only when the choice is custom. */
  incrementUsd: number;
  /** Cap on the change of one purchase, in US dollars, before the multiplier applies. */
  ceilingUsd: number;
  /** 1…10; default 1. */
  multiplier?: number;
}

/** Converts the terms to those of an API request. The API's ceiling caps the saved amount, after the multiplier. */
export function toRequestTerms({ choice, incrementUsd, ceilingUsd, multiplier = 1 }: PreviewTerms): RoundUpRequest {
  return {
    ceiling: Math.min(roundToMicro(ceilingUsd * multiplier), CEILING_USD_RANGE.max),
    ...(multiplier > 1 && { multiplier }),
    ...(choice === "custom" ? { roundToUsd: incrementUsd } : { plan: choice }),
  };
}

export function toSavingTerms(terms: PreviewTerms): SavingTerms {
  const { ceiling: ceilingUsd, ...otherTerms } = toRequestTerms(terms);
  return { ...otherTerms, ceilingUsd };
}

/** Previews the round-up of one purchase. The amounts equal those of POST /api/roundup. */
export function previewRoundUp(purchaseUsd: number, terms: PreviewTerms) {
  const { feeBps, ...roundUpTerms } = toRoundUpTerms(toRequestTerms(terms));
  const purchaseMicroUsd = toMicroUsd(purchaseUsd);
  const change = roundUp(purchaseMicroUsd, roundUpTerms);
  const microUsd = splitFee(change.microUsd, feeBps);
  return {
    roundedToUsd: fromMicroUsd(purchaseMicroUsd + change.microUsd),
    roundUpUsd: fromMicroUsd(change.microUsd),
    feeUsd: fromMicroUsd(microUsd.fee),
    investedUsd: fromMicroUsd(microUsd.investment),
    feePercent: Number(feeBps) / 100,
    incrementUsd: fromMicroUsd(roundUpTerms.incrementMicroUsd),
    skipped: change.skipped,
    capped: change.capped,
  };
}
