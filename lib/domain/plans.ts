import { toMicroUsd } from "./money";

/** Ordered by increment, smallest first. `findFeeBpsForIncrement` relies on the order. */
export const PLAN_NAMES = ["seed", "sprout", "tree", "forest"] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export interface Plan {
  name: string;
  /** Payments round up to the next multiple of this amount, USD. */
  roundToUsd: number;
  /** Service fee as a percentage of the change. */
  serviceFeePercent: number;
}

export const PLANS: Record<PlanName, Plan> = {
  seed: { name: "Seed", roundToUsd: 0.05, serviceFeePercent: 1 },
  sprout: { name: "Sprout", roundToUsd: 0.1, serviceFeePercent: 0.75 },
  tree: { name: "Tree", roundToUsd: 0.5, serviceFeePercent: 0.5 },
  forest: { name: "Forest", roundToUsd: 1, serviceFeePercent: 0.25 },
};

export const DEFAULT_PLAN: PlanName = "sprout";
/** The plan that pages preselect: its change is large enough to be worth a network fee. */
export const RECOMMENDED_PLAN: PlanName = "forest";
/** Maximum change of one payment, USD. A request without a ceiling multiplies this by its multiplier. */
export const DEFAULT_CEILING_USD = 1;
/** Savings wait in the service wallet until they are worth this much, USD. */
export const DEFAULT_THRESHOLD_USD = 5;
export const DEFAULT_SLIPPAGE_BPS = 100;
/** The plan whose fee applies to top-ups. */
export const TOPUP_PLAN: PlanName = "forest";
/** Lowest fee of any plan, in basis points of the change. */
export const MINIMUM_FEE_BPS = 25n;

/** Returns a plan's fee in basis points of the change. */
export function toPlanFeeBps(plan: PlanName): bigint {
  return BigInt(Math.round(PLANS[plan].serviceFeePercent * 100));
}

/**
 * Returns the fee of the plan with the largest increment not above the given one, in basis points of the change.
 * Returns Seed's fee if the increment is smaller than every plan's.
 */
export function findFeeBpsForIncrement(incrementMicroUsd: bigint): bigint {
  const eligiblePlans = PLAN_NAMES.filter((plan) => toMicroUsd(PLANS[plan].roundToUsd) <= incrementMicroUsd);
  return toPlanFeeBps(eligiblePlans.at(-1) ?? "seed");
}
