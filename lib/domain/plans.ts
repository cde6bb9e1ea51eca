import { toMicroUsd } from "./money";

export const PLAN_NAMES = ["seed", "sprout", "tree", "forest"] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export interface Plan {
  name: string;
  /** Round-ups go to the next multiple of this, USD. */
  roundToUsd: number;
  /** Percent of the round-up that is the service's fee. */
  serviceFeePercent: number;
}

/** Smallest increment first. */
export const PLANS: Record<PlanName, Plan> = {
  seed: { name: "Seed", roundToUsd: 0.05, serviceFeePercent: 1 },
  sprout: { name: "Sprout", roundToUsd: 0.1, serviceFeePercent: 0.75 },
  tree: { name: "Tree", roundToUsd: 0.5, serviceFeePercent: 0.5 },
  forest: { name: "Forest", roundToUsd: 1, serviceFeePercent: 0.25 },
};

export const DEFAULT_PLAN: PlanName = "sprout";
/** What pages offer first: its change is worth a transaction's network fee. */
export const RECOMMENDED_PLAN: PlanName = "forest";
export const DEFAULT_CEILING_USD = 1;
export const DEFAULT_THRESHOLD_USD = 5;
export const DEFAULT_SLIPPAGE_BPS = 100;
/** Whose fee a top-up pays. */
export const TOPUP_PLAN: PlanName = "forest";
/** The lowest fee any plan charges, in basis points of the round-up. */
export const MINIMUM_FEE_BPS = 25n;

/** Basis points of the round-up that the plan charges. */
export function planFeeBps(plan: PlanName): bigint {
  return BigInt(Math.round(PLANS[plan].serviceFeePercent * 100));
}

/** A custom increment pays the fee of the largest plan increment not above it; below the smallest, the smallest plan's. */
export function customFeeBps(incrementMicroUsd: bigint): bigint {
  const reached = PLAN_NAMES.filter((plan) => toMicroUsd(PLANS[plan].roundToUsd) <= incrementMicroUsd);
  return planFeeBps(reached.at(-1) ?? "seed");
}
