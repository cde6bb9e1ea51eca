import { getMaxPrice, setComputeUnitLimit, setComputeUnitPrice } from "./compute-budget";
import { computeNetworkFee } from "./fees";
import type { InstructionLike } from "./instructions";
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./programs";

/** The priority fee that a transaction offers to land sooner. */
export interface Priority {
  /** Micro-lamports per compute unit. With 0, the transaction has no compute-budget instructions. */
  unitPrice: bigint;
  /** Upper bound in lamports, however many units the transaction uses. */
  maxLamports: bigint;
}

export const NO_PRIORITY: Priority = { unitPrice: 0n, maxLamports: 0n };

/**
 * Compute units reserved per instruction of a program. Builtin programs use exactly these (source: agave's builtins).
 * The others have a margin above measured use, for an address that takes long to derive or a token extension.
 */
const UNITS = new Map([
  [SYSTEM_PROGRAM, 150],
  [TOKEN_PROGRAM, 15_000],
  [TOKEN_2022_PROGRAM, 40_000],
  [ASSOCIATED_TOKEN_PROGRAM, 80_000],
  [MEMO_PROGRAM, 100_000],
]);
/** Units of an instruction of any other program. Source: DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT, agave. */
const UNITS_OF_ANY = 200_000;
/** Units of a unit-limit and a unit-price instruction, both builtin. */
const UNITS_OF_BUDGET = 300;

export interface Budget {
  units: number;
  /** Micro-lamports. */
  unitPrice: bigint;
  /** Network fee of the transaction, including its single signature. */
  networkFeeLamports: bigint;
}

/** Returns the compute units to reserve for these instructions. */
export const estimateUnits = (instructions: readonly InstructionLike[]): number =>
  instructions.reduce((sum, { programId }) => sum + (UNITS.get(programId) ?? UNITS_OF_ANY), 0);

/** Computes the compute budget and network fee of a transaction with these instructions and one signature. */
export function chooseBudget(instructions: readonly InstructionLike[], { unitPrice, maxLamports }: Priority): Budget {
  const units = UNITS_OF_BUDGET + estimateUnits(instructions);
  const most = getMaxPrice(units, maxLamports);
  const price = unitPrice < most ? unitPrice : most;
  return { units, unitPrice: price, networkFeeLamports: computeNetworkFee(1, units, price) };
}

/** Builds the compute-budget instructions that precede the instructions they were computed for. */
export function buildBudgetInstructions({ units, unitPrice }: Budget): InstructionLike[] {
  return unitPrice === 0n ? [] : [setComputeUnitLimit(units), setComputeUnitPrice(unitPrice)];
}

/** Returns the smallest price that at least `percent` of the prices do not exceed (nearest rank). 0 without prices. */
export function findPercentile(prices: readonly bigint[], percent: number): bigint {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0n;
}
