/** What a swap aggregator is asked, and what it answers. */

export interface WireInstruction {
  programId: string;
  accounts: { pubkey: string; isSigner: boolean; isWritable: boolean }[];
  /** Base64. */
  data: string;
}

export interface SwapRequest {
  /** NATIVE_MINT is SOL, on either side. */
  inputMint: string;
  outputMint: string;
  /** Base units of the input. */
  amount: bigint;
  slippageBps: number;
  /** Wallet that will sign; null asks for a quote only. */
  taker: string | null;
  /** Of the route, so that its transaction is smaller; absent: as many as the venue likes. */
  maxAccounts?: number;
}

export interface SwapPlan {
  /** Base units, as the other amounts. */
  inputAmount: bigint;
  outputAmount: bigint;
  minimumOutputAmount: bigint;
  slippageBps: number;
  /** Share of the price lost to the size of the trade: 0.01 is 1 %. */
  priceImpact: number;
  /** Venue labels in order. */
  route: string[];
  /** Compute-unit price (already capped), setup, swap, cleanup, other and tip instructions, in the order they must run. */
  instructions: WireInstruction[];
  /** Lookup tables the transaction may use: table address → its addresses. */
  lookupTables: Record<string, string[]>;
}
