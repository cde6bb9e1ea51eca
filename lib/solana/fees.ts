/**
 * The network's base fee per signature. Source: Solana docs, "Transaction fees" (default target of 5,000 lamports per
 * signature). Stated in previews; what is charged is the runtime's business.
 */
export const BASE_FEE_LAMPORTS = 5_000n;

/** An account's own bytes beside its data. Source: ACCOUNT_STORAGE_OVERHEAD, solana-rent. */
const ACCOUNT_OVERHEAD_BYTES = 128n;
/** Rent has never been higher, and falls. Source: `Rent` of solana-rent, before the reductions of 2026. */
const MOST_LAMPORTS_PER_BYTE = 6_960n;

/** The most that the rent-exempt minimum of an account with so many bytes of data can be, lamports. */
export const mostRent = (bytes: number) => (ACCOUNT_OVERHEAD_BYTES + BigInt(bytes)) * MOST_LAMPORTS_PER_BYTE;

/** In which the price of a compute unit is given. */
export const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/**
 * What the network charges at most, lamports: the base fee of each signature, and every unit of the limit at its price.
 * @param price micro-lamports for a compute unit
 */
export function networkFee(signatures: number, units: number, price: bigint): bigint {
  const priority = (price * BigInt(units) + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return BASE_FEE_LAMPORTS * BigInt(signatures) + priority;
}
