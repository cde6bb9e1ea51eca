/** Bytes that every account counts beside its data. Source: ACCOUNT_STORAGE_OVERHEAD, solana-rent. */
const OVERHEAD = 128n;

/** Lamports a byte, past, present and planned, the highest first. Source: SIMD-0437; 5,080 since September 2026. */
const RATES = [6_960n, 6_333n, 5_080n, 2_575n, 1_322n, 696n] as const;

/** Lamports that make an account of so many bytes rent-exempt at the highest rate there was: never too little. */
export const highestRent = (space: bigint): bigint => (OVERHEAD + space) * RATES[0];

/**
 * The least rent that is plausible for so many bytes, lamports: half of what the lowest planned rate asks for.
 * The margin leaves room for a reduction that is not announced yet.
 */
export const lowestRent = (space: bigint): bigint => ((OVERHEAD + space) * RATES[5]) / 2n;

/** Whether a balance is the rent-exempt minimum of some size to the lamport, at any of the rates. */
export const isExactRent = (lamports: bigint): boolean =>
  RATES.some((rate) => lamports >= OVERHEAD * rate && lamports % rate === 0n);
