/**
 * Base fee per signature. Source: Solana docs, "Transaction fees" (default target of 5,000 lamports per signature).
 * Previews use this constant. The runtime determines the fee that it charges.
 */
export const BASE_FEE_LAMPORTS = 5_000n;

/** Converts compute-unit prices, which are in micro-lamports. */
export const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/**
 * Returns the highest network fee in lamports: the base fee of each signature, plus the price of all reserved units.
 * @param unitLimit reserved compute units
 * @param unitPrice micro-lamports per compute unit
 */
export function computeNetworkFee(signatureCount: number, unitLimit: number, unitPrice: bigint): bigint {
  const priorityFee = (unitPrice * BigInt(unitLimit) + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return BASE_FEE_LAMPORTS * BigInt(signatureCount) + priorityFee;
}
