import { microUsdToLamports, share, toMicroUsd } from "./money";
import { customFeeBps, DEFAULT_CEILING_USD, DEFAULT_PLAN, PLANS, type PlanName, planFeeBps } from "./plans";

export interface RoundUp {
  microUsd: bigint;
  /** The value already was a multiple, so there is nothing to save. */
  skipped: boolean;
  /** The ceiling cut it. */
  capped: boolean;
}

/**
 * Spare change from `valueMicroUsd` up to the next multiple of `incrementMicroUsd`, capped at `ceilingMicroUsd`.
 * All in integer micro-dollars; 0 when the value already is a multiple.
 * @throws {RangeError} on a non-positive increment or ceiling, or a negative value: callers' bugs, user input is checked by the contract
 */
export function roundUp(valueMicroUsd: bigint, incrementMicroUsd: bigint, ceilingMicroUsd: bigint): RoundUp {
  if (valueMicroUsd < 0n || incrementMicroUsd <= 0n || ceilingMicroUsd <= 0n) {
    throw new RangeError("roundUp takes a value of at least 0 and a positive increment and ceiling");
  }
  const change = (incrementMicroUsd - (valueMicroUsd % incrementMicroUsd)) % incrementMicroUsd;
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

export interface RoundUpTerms {
  /** Null when a custom increment overrides the plan. */
  plan: PlanName | null;
  incrementMicroUsd: bigint;
  ceilingMicroUsd: bigint;
  feeBps: bigint;
}

/** The increment, ceiling and fee a request asks for, with the defaults filled in. */
export function roundUpTerms(request: { plan?: PlanName; roundToUsd?: number; ceiling?: number }): RoundUpTerms {
  // A ceiling above 0 that rounds to nothing is the least there is.
  const ceilingMicroUsd = toMicroUsd(request.ceiling ?? DEFAULT_CEILING_USD) || 1n;
  if (request.roundToUsd !== undefined) {
    const incrementMicroUsd = toMicroUsd(request.roundToUsd);
    return { plan: null, incrementMicroUsd, ceilingMicroUsd, feeBps: customFeeBps(incrementMicroUsd) };
  }
  const plan = request.plan ?? DEFAULT_PLAN;
  return { plan, incrementMicroUsd: toMicroUsd(PLANS[plan].roundToUsd), ceilingMicroUsd, feeBps: planFeeBps(plan) };
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
