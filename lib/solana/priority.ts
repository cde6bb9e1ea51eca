import { maxPriceFor, setComputeUnitLimit, setComputeUnitPrice } from "./compute-budget";
import { networkFee } from "./fees";
import type { InstructionLike } from "./instructions";
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./programs";

/** What a transaction offers beside its base fee, so that it is taken up sooner. */
export interface Priority {
  /** Micro-lamports for a compute unit; 0: nothing is offered, and nothing said of the compute budget. */
  unitPrice: bigint;
  /** Lamports at most, however many units it takes. */
  maxLamports: bigint;
}

export const NO_PRIORITY: Priority = { unitPrice: 0n, maxLamports: 0n };

/**
 * Compute units that one instruction of a program is given. Builtin programs use just these (agave's builtins); the others
 * leave room over what was measured on the chain: an address found late, an extension of the token.
 */
const UNITS = new Map([
  [SYSTEM_PROGRAM, 150],
  [TOKEN_PROGRAM, 15_000],
  [TOKEN_2022_PROGRAM, 40_000],
  [ASSOCIATED_TOKEN_PROGRAM, 80_000],
  [MEMO_PROGRAM, 100_000],
]);
/** Source: DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT, agave. */
const UNITS_OF_ANY = 200_000;
/** A unit limit and a unit price, both builtin. */
const UNITS_OF_BUDGET = 300;

export interface Budget {
  units: number;
  /** Micro-lamports. */
  unitPrice: bigint;
  /** Lamports of the transaction, its one signature included. */
  networkFeeLamports: bigint;
}

/** What a transaction of these instructions, signed once, offers and is charged. */
export function budgetOf(instructions: readonly InstructionLike[], { unitPrice, maxLamports }: Priority): Budget {
  const units = instructions.reduce(
    (sum, { programId }) => sum + (UNITS.get(programId) ?? UNITS_OF_ANY),
    UNITS_OF_BUDGET,
  );
  const most = maxPriceFor(units, maxLamports);
  const price = unitPrice < most ? unitPrice : most;
  return { units, unitPrice: price, networkFeeLamports: networkFee(1, units, price) };
}

/** Stands before the instructions that it was made of. */
export function budgetInstructions({ units, unitPrice }: Budget): InstructionLike[] {
  return unitPrice === 0n ? [] : [setComputeUnitLimit(units), setComputeUnitPrice(unitPrice)];
}

/** The smallest price that `percent` of these are not above (nearest rank); 0 of none. */
export function percentile(prices: readonly bigint[], percent: number): bigint {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0n;
}
