import { microUsdToLamports, share, toMicroUsd } from "./money";
import { customFeeBps, DEFAULT_CEILING_USD, DEFAULT_PLAN, PLANS, type PlanName, planFeeBps, TOPUP_PLAN } from "./plans";

export interface RoundUp {
  microUsd: bigint;
  /** The value already was a multiple, so there is nothing to save. */
  skipped: boolean;
  /** The ceiling cut it. */
  capped: boolean;
}

/** How one value is rounded; all positive. */
export interface Rounding {
  incrementMicroUsd: bigint;
  ceilingMicroUsd: bigint;
  /** 1 … 10 */
  multiplier: bigint;
}

/**
 * Spare change from `valueMicroUsd` up to the next multiple of the increment, so many times as the multiplier says, capped
 * at the ceiling. All in integer micro-dollars; 0 when the value already is a multiple.
 * @throws {RangeError} on a non-positive increment, ceiling or multiplier, or a negative value: callers' bugs, user input is checked by the contract
 */
export function roundUp(valueMicroUsd: bigint, { incrementMicroUsd, ceilingMicroUsd, multiplier }: Rounding): RoundUp {
  if (valueMicroUsd < 0n || incrementMicroUsd <= 0n || ceilingMicroUsd <= 0n || multiplier <= 0n) {
    throw new RangeError("roundUp takes a value of at least 0 and a positive increment, ceiling and multiplier");
  }
  const change = multiplier * ((incrementMicroUsd - (valueMicroUsd % incrementMicroUsd)) % incrementMicroUsd);
  const capped = change > ceilingMicroUsd;
  return { microUsd: capped ? ceilingMicroUsd : change, skipped: change === 0n, capped };
}

/** Several round-ups saved together: the sum, skipped when all of them were, capped when any of them was. */
export function sumRoundUps(changes: readonly RoundUp[]): RoundUp {
  return {
    microUsd: changes.reduce((sum, { microUsd }) => sum + microUsd, 0n),
    skipped: changes.every(({ skipped }) => skipped),
    capped: changes.some(({ capped }) => capped),
  };
}

export interface RoundUpTerms extends Rounding {
  /** Null when a custom increment overrides the plan. */
  plan: PlanName | null;
  feeBps: bigint;
}

export interface RoundUpRequest {
  plan?: PlanName;
  /** USD; overrides the plan. */
  roundToUsd?: number;
  /** USD, of each round-up; absent: the default ceiling, so many times as the multiplier says. */
  ceiling?: number;
  /** 1 … 10 */
  multiplier?: number;
}

/** The increment, ceiling, multiplier and fee a request asks for, with the defaults filled in. */
export function roundUpTerms(request: RoundUpRequest): RoundUpTerms {
  const { multiplier: times = 1 } = request;
  // A ceiling above 0 that rounds to nothing is the least there is.
  const ceilingMicroUsd = toMicroUsd(request.ceiling ?? DEFAULT_CEILING_USD * times) || 1n;
  const common = { ceilingMicroUsd, multiplier: BigInt(times) };
  if (request.roundToUsd !== undefined) {
    const incrementMicroUsd = toMicroUsd(request.roundToUsd);
    return { plan: null, incrementMicroUsd, ...common, feeBps: customFeeBps(incrementMicroUsd) };
  }
  const plan = request.plan ?? DEFAULT_PLAN;
  return { plan, incrementMicroUsd: toMicroUsd(PLANS[plan].roundToUsd), ...common, feeBps: planFeeBps(plan) };
}

/** A top-up in the terms of a round-up: its amount is the step, nothing is rounded, and the fee is TOPUP_PLAN's. */
export function topupTerms(microUsd: bigint): RoundUpTerms {
  const amounts = { incrementMicroUsd: microUsd, ceilingMicroUsd: microUsd, multiplier: 1n };
  return { plan: TOPUP_PLAN, ...amounts, feeBps: planFeeBps(TOPUP_PLAN) };
}

export interface Split {
  fee: bigint;
  investment: bigint;
}

/** Fee and investment of a round-up in any integer unit: the fee rounds down, the parts add up exactly. */
export function splitFee(amount: bigint, feeBps: bigint): Split {
  const fee = share(amount, feeBps);
  return { fee, investment: amount - fee };
}

/** The round-up in lamports at a SOL price (rounded down), split into fee and investment. */
export function splitLamports(
  roundUpMicroUsd: bigint,
  feeBps: bigint,
  solPriceMicroUsd: bigint,
): Split & { total: bigint } {
  const total = microUsdToLamports(roundUpMicroUsd, solPriceMicroUsd);
  return { total, ...splitFee(total, feeBps) };
}
