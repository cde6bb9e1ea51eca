/**
 * The network's base fee per signature. Source: Solana docs, "Transaction fees" (default target of 5,000 lamports per
 * signature). Stated in previews; what is charged is the runtime's business.
 */
export const BASE_FEE_LAMPORTS = 5_000n;

/**
 * What the network charges at most, lamports: the base fee of each signature, and every unit of the limit at its price.
 * @param price micro-lamports for a compute unit
 */
export function networkFee(signatures: number, units: number, price: bigint): bigint {
  return BASE_FEE_LAMPORTS * BigInt(signatures) + (price * BigInt(units) + 999_999n) / 1_000_000n;
}
