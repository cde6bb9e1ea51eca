import { PAY_ASSETS, type PayAsset } from "@/lib/domain/assets";
import { MULTIPLIER_RANGE } from "@/lib/domain/limits";
import { DEFAULT_CEILING_USD, RECOMMENDED_PLAN } from "@/lib/domain/plans";
import { PLAN_LIST, type PlanOrCustom } from "@/lib/sdk/preview-round-up";
import { isNumberInRange, parseFields, useStoredObject } from "./stored-value";

/** Steps that are bigger than those of the plans, USD. */
export const BIG_STEPS_USD = { "step-5": 5, "step-10": 10 } as const;
export type BigStep = keyof typeof BIG_STEPS_USD;
export const BIG_STEPS = Object.keys(BIG_STEPS_USD) as BigStep[];

export type TermsChoice = PlanOrCustom | BigStep;

/** Round-up settings, as the person typed them. */
export interface TypedTerms {
  /** A plan, a big step, or "custom" for the step in `increment`. */
  choice: TermsChoice;
  /** Step of the choice "custom", USD. */
  increment: string;
  /** The most change of one purchase, before the multiplier applies, USD. */
  ceiling: string;
  /** Factor of the change: 1 to 10. */
  multiplier: number;
  /** What the change is taken from. Null while the person has chosen nothing. */
  payWith: PayAsset | null;
}

export const DEFAULT_TERMS: TypedTerms = {
  choice: RECOMMENDED_PLAN,
  increment: "0.25",
  ceiling: DEFAULT_CEILING_USD.toFixed(2),
  multiplier: 1,
  payWith: null,
};

const CHOICES: readonly TermsChoice[] = [...PLAN_LIST.map(({ plan }) => plan), ...BIG_STEPS, "custom"];

/** The settings last used with this wallet. */
export const useTerms = (wallet: string) => useStoredObject(`roundup-terms:${wallet}`, parseTerms);

export function parseTerms(text: string | null): TypedTerms {
  const { choice, increment, ceiling, multiplier, payWith } = parseFields(text);
  const isMultiplier = Number.isInteger(multiplier) && isNumberInRange(multiplier, MULTIPLIER_RANGE);
  return {
    choice: CHOICES.find((available) => available === choice) ?? DEFAULT_TERMS.choice,
    increment: typeof increment === "string" ? increment : DEFAULT_TERMS.increment,
    ceiling: typeof ceiling === "string" ? ceiling : DEFAULT_TERMS.ceiling,
    multiplier: isMultiplier ? multiplier : DEFAULT_TERMS.multiplier,
    payWith: PAY_ASSETS.find((asset) => asset === payWith) ?? DEFAULT_TERMS.payWith,
  };
}
