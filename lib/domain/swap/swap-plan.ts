import type { InstructionLike } from "../../solana/instructions";

export interface SwapRequest {
  /** NATIVE_MINT is SOL, for input and output. */
  inputMint: string;
  outputMint: string;
  /** Base units of the input. */
  amount: bigint;
  slippageBps: number;
  /** Wallet that will sign. Null for a quote only. */
  taker: string | null;
  /** Limits the accounts of the route, so that the transaction stays small. Unlimited when absent. */
  maxAccounts?: number;
}

export interface SwapPlan {
  /** Base units, like the other amounts. */
  inputAmount: bigint;
  outputAmount: bigint;
  minimumOutputAmount: bigint;
  slippageBps: number;
  /** Share of the price lost because of the size of the trade: 0.01 is 1 %. */
  priceImpact: number;
  /** Labels of the venues, in order. */
  route: string[];
  /** Compute-unit price (already capped), setup, swap, cleanup, other and tip instructions, in execution order. */
  instructions: InstructionLike[];
  /** Lookup tables the transaction may use: table address → addresses in the table. */
  lookupTables: Record<string, string[]>;
}
