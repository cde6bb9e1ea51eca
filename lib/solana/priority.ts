import { buildSetComputeUnitLimit, buildSetComputeUnitPrice, computeMaxUnitPrice } from "./compute-budget";
import { computeNetworkFee } from "./fees";
import type { InstructionLike } from "./instructions";
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./programs";

/** The priority fee that a transaction offers to land sooner. */
export interface PriorityFee {
  /** Micro-lamports per compute unit. With 0, the transaction has no compute-budget instructions. */
  unitPrice: bigint;
  /** Upper bound of the priority fee in lamports, however many units the transaction uses. */
  maxLamports: bigint;
}

export const NO_PRIORITY_FEE: PriorityFee = { unitPrice: 0n, maxLamports: 0n };

/**
 * Compute units reserved per instruction of a program. The System program uses exactly this many (source: agave's
 * builtins). The other programs get a margin above measured use, for a slow address derivation or a token extension.
 */
const UNITS_BY_PROGRAM = new Map([
  [SYSTEM_PROGRAM, 150],
  [TOKEN_PROGRAM, 15_000],
  [TOKEN_2022_PROGRAM, 40_000],
  [ASSOCIATED_TOKEN_PROGRAM, 80_000],
  [MEMO_PROGRAM, 100_000],
]);
/** Units reserved for an instruction of any other program. Source: DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT, agave. */
const DEFAULT_UNITS = 200_000;
/** Units that one unit-limit and one unit-price instruction use together. */
const BUDGET_UNITS = 300;

/** The compute units and fees of one transaction. */
export interface ComputeBudget {
  /** Compute units to reserve. */
  unitLimit: number;
  /** Micro-lamports per compute unit. */
  unitPrice: bigint;
  /** Base fee of one signature plus the priority fee. */
  networkFeeLamports: bigint;
}

/** Returns the compute units to reserve for these instructions. */
export const estimateUnits = (instructions: readonly InstructionLike[]): number =>
  instructions.reduce((sum, { programId }) => sum + (UNITS_BY_PROGRAM.get(programId) ?? DEFAULT_UNITS), 0);

/** Computes the compute budget and network fee of a transaction with these instructions and one signature. */
export function chooseComputeBudget(
  instructions: readonly InstructionLike[],
  { unitPrice, maxLamports }: PriorityFee,
): ComputeBudget {
  const unitLimit = BUDGET_UNITS + estimateUnits(instructions);
  const maxPrice = computeMaxUnitPrice(unitLimit, maxLamports);
  const cappedPrice = unitPrice < maxPrice ? unitPrice : maxPrice;
  return { unitLimit, unitPrice: cappedPrice, networkFeeLamports: computeNetworkFee(1, unitLimit, cappedPrice) };
}

/** Builds the compute-budget instructions of a transaction. They come first. Returns none for a unit price of 0. */
export function buildBudgetInstructions({ unitLimit, unitPrice }: ComputeBudget): InstructionLike[] {
  return unitPrice === 0n ? [] : [buildSetComputeUnitLimit(unitLimit), buildSetComputeUnitPrice(unitPrice)];
}

/** Returns the smallest price that `percent` percent of the prices do not exceed (nearest rank). Returns 0 for none. */
export function findPercentile(prices: readonly bigint[], percent: number): bigint {
  const sortedPrices = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sortedPrices[Math.max(0, Math.ceil((percent / 100) * sortedPrices.length) - 1)] ?? 0n;
}
