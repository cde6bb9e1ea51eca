import { applyBps, fromMicroUsd, lamportsToSol, microUsdToLamports, toMicroUsd } from "./money";
import {
  DEFAULT_CEILING_USD,
  DEFAULT_PLAN,
  findFeeBpsForIncrement,
  PLANS,
  type PlanName,
  TOPUP_PLAN,
  toPlanFeeBps,
} from "./plans";

/** The change of one payment: what rounding its value up adds. */
export interface RoundUp {
  microUsd: bigint;
  /** True when the value already is a multiple of the increment, so nothing is saved. */
  skipped: boolean;
  /** True when the ceiling reduced the amount. */
  capped: boolean;
}

/** Parameters of one round-up. All are positive. */
export interface Rounding {
  incrementMicroUsd: bigint;
  ceilingMicroUsd: bigint;
  /** From 1 to 10. */
  multiplier: bigint;
}

/**
 * Returns the change from `valueMicroUsd` to the next multiple of the increment, times the multiplier, at most the
 * ceiling. All amounts are integer micro-dollars. The result is 0 when the value already is a multiple.
 * @throws {RangeError} on a non-positive increment, ceiling or multiplier, or a negative value. These are bugs in the
 * caller: the contract validates user input.
 */
export function roundUp(valueMicroUsd: bigint, { incrementMicroUsd, ceilingMicroUsd, multiplier }: Rounding): RoundUp {
  if (valueMicroUsd < 0n || incrementMicroUsd <= 0n || ceilingMicroUsd <= 0n || multiplier <= 0n) {
    throw new RangeError("roundUp takes a value of at least 0 and a positive increment, ceiling and multiplier");
  }
  const changeMicroUsd = multiplier * ((incrementMicroUsd - (valueMicroUsd % incrementMicroUsd)) % incrementMicroUsd);
  const capped = changeMicroUsd > ceilingMicroUsd;
  return { microUsd: capped ? ceilingMicroUsd : changeMicroUsd, skipped: changeMicroUsd === 0n, capped };
}

/** Adds round-ups saved together. The sum is skipped when all of them were, and capped when any of them was. */
export function sumRoundUps(roundUps: readonly RoundUp[]): RoundUp {
  return {
    microUsd: roundUps.reduce((sum, { microUsd }) => sum + microUsd, 0n),
    skipped: roundUps.every(({ skipped }) => skipped),
    capped: roundUps.some(({ capped }) => capped),
  };
}

export interface RoundUpTerms extends Rounding {
  /** Null when a custom increment replaces the plan. */
  plan: PlanName | null;
  feeBps: bigint;
}

export interface RoundUpRequest {
  plan?: PlanName;
  /** Custom increment in USD. Overrides the plan. */
  roundToUsd?: number;
  /** Ceiling of each round-up in USD. Defaults to the default ceiling times the multiplier. */
  ceiling?: number;
  /** From 1 to 10. Defaults to 1. */
  multiplier?: number;
}

/** Resolves a request to an increment, ceiling, multiplier and fee. Fills in the defaults. */
export function toRoundUpTerms(request: RoundUpRequest): RoundUpTerms {
  const { multiplier = 1 } = request;
  // A positive ceiling that rounds to zero becomes the smallest unit.
  const ceilingMicroUsd = toMicroUsd(request.ceiling ?? DEFAULT_CEILING_USD * multiplier) || 1n;
  const common = { ceilingMicroUsd, multiplier: BigInt(multiplier) };
  if (request.roundToUsd !== undefined) {
    const incrementMicroUsd = toMicroUsd(request.roundToUsd);
    return { plan: null, incrementMicroUsd, ...common, feeBps: findFeeBpsForIncrement(incrementMicroUsd) };
  }
  const plan = request.plan ?? DEFAULT_PLAN;
  return { plan, incrementMicroUsd: toMicroUsd(PLANS[plan].roundToUsd), ...common, feeBps: toPlanFeeBps(plan) };
}

/** Expresses a top-up as a round-up: its amount is both increment and ceiling, and TOPUP_PLAN sets the fee. */
export function toTopupTerms(microUsd: bigint): RoundUpTerms {
  const amounts = { incrementMicroUsd: microUsd, ceilingMicroUsd: microUsd, multiplier: 1n };
  return { plan: TOPUP_PLAN, ...amounts, feeBps: toPlanFeeBps(TOPUP_PLAN) };
}

/** The two parts of a round-up, in its unit. They add up to it. */
export interface Split {
  fee: bigint;
  investment: bigint;
}

/** Splits an amount in any integer unit into fee and investment. The fee rounds down, and the parts add up exactly. */
export function splitFee(amount: bigint, feeBps: bigint): Split {
  const fee = applyBps(amount, feeBps);
  return { fee, investment: amount - fee };
}

/** Converts a round-up to lamports at a SOL price, rounded down, and splits it into fee and investment. */
export function splitLamports(
  roundUpMicroUsd: bigint,
  feeBps: bigint,
  solPriceMicroUsd: bigint,
): Split & { total: bigint } {
  const total = microUsdToLamports(roundUpMicroUsd, solPriceMicroUsd);
  return { total, ...splitFee(total, feeBps) };
}

/**
 * Converts a round-up to the answer of POST /api/roundup: JSON numbers in dollars, SOL and lamports. Fee and investment
 * add up to the total in each unit.
 * @param solPriceMicroUsd micro-dollars per SOL; null makes all SOL and lamport fields null
 */
export function toRoundUpFields(
  txValueMicroUsd: bigint,
  terms: RoundUpTerms,
  roundUp: RoundUp,
  solPriceMicroUsd: bigint | null,
) {
  const microUsd = splitFee(roundUp.microUsd, terms.feeBps);
  const lamports = solPriceMicroUsd === null ? null : splitLamports(roundUp.microUsd, terms.feeBps, solPriceMicroUsd);
  return {
    txValueUsd: fromMicroUsd(txValueMicroUsd),
    plan: terms.plan,
    roundToUsd: fromMicroUsd(terms.incrementMicroUsd),
    ceilingUsd: fromMicroUsd(terms.ceilingMicroUsd),
    multiplier: Number(terms.multiplier),
    roundedToUsd: fromMicroUsd(txValueMicroUsd + roundUp.microUsd),
    roundUpUsd: fromMicroUsd(roundUp.microUsd),
    roundUpSol: toSolOrNull(lamports?.total),
    serviceFeePercent: Number(terms.feeBps) / 100,
    serviceFeeUsd: fromMicroUsd(microUsd.fee),
    serviceFeeSol: toSolOrNull(lamports?.fee),
    userInvestmentUsd: fromMicroUsd(microUsd.investment),
    userInvestmentSol: toSolOrNull(lamports?.investment),
    roundUpLamports: toNumberOrNull(lamports?.total),
    serviceFeeLamports: toNumberOrNull(lamports?.fee),
    userInvestmentLamports: toNumberOrNull(lamports?.investment),
    solPriceUsd: solPriceMicroUsd === null ? null : fromMicroUsd(solPriceMicroUsd),
    skipped: roundUp.skipped,
    capped: roundUp.capped,
  };
}

const toSolOrNull = (amount: bigint | undefined) => (amount === undefined ? null : lamportsToSol(amount));
const toNumberOrNull = (amount: bigint | undefined) => (amount === undefined ? null : Number(amount));
