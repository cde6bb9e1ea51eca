/**
 * Base fee per signature, in lamports. Source: Solana docs, "Transaction fees" (default target of 5,000 lamports per
 * signature). Used for previews; the runtime determines the fee that is charged.
 */
export const BASE_FEE_LAMPORTS = 5_000n;

/** Bytes that every account counts besides its data. Source: ACCOUNT_STORAGE_OVERHEAD, solana-rent. */
const ACCOUNT_OVERHEAD_BYTES = 128n;
/** The highest rent rate so far; rates are falling. Source: `Rent` of solana-rent, before the reductions of 2026. */
const MOST_LAMPORTS_PER_BYTE = 6_960n;

/** Returns an upper bound in lamports for the rent-exempt minimum of an account with this many data bytes. */
export const mostRent = (bytes: number) => (ACCOUNT_OVERHEAD_BYTES + BigInt(bytes)) * MOST_LAMPORTS_PER_BYTE;

/** Compute-unit prices are in micro-lamports. */
export const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/**
 * Returns the most the network can charge, in lamports: the base fee of each signature plus the full unit limit.
 * @param price micro-lamports per compute unit
 */
export function networkFee(signatures: number, units: number, price: bigint): bigint {
  const priority = (price * BigInt(units) + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return BASE_FEE_LAMPORTS * BigInt(signatures) + priority;
}
