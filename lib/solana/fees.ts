/**
 * Base fee per signature, in lamports. Source: Solana docs, "Transaction fees" (default target of 5,000 lamports per
 * signature). Used for previews; the runtime determines the fee that is charged.
 */
export const BASE_FEE_LAMPORTS = 5_000n;

/** Compute-unit prices are in micro-lamports. */
export const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/**
 * Returns the most the network can charge, in lamports: the base fee of each signature plus the full unit limit.
 * @param price micro-lamports per compute unit
 */
export function computeNetworkFee(signatures: number, units: number, price: bigint): bigint {
  const priority = (price * BigInt(units) + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return BASE_FEE_LAMPORTS * BigInt(signatures) + priority;
}
