/** Bytes that every account counts besides its data. Source: ACCOUNT_STORAGE_OVERHEAD, solana-rent. */
const OVERHEAD = 128n;

/** Lamports per byte: past, present and planned rates, highest first. Source: SIMD-0437; 5,080 since September 2026. */
const RATES = [6_960n, 6_333n, 5_080n, 2_575n, 1_322n, 696n] as const;

/** Returns the rent-exempt minimum at the highest rate so far. It always suffices. */
export const computeHighestRent = (space: bigint): bigint => (OVERHEAD + space) * RATES[0];

/**
 * Returns the lowest plausible rent for this many bytes, in lamports: half of the lowest planned rate. The margin
 * allows for a reduction that has not been announced yet.
 */
export const computeLowestRent = (space: bigint): bigint => ((OVERHEAD + space) * RATES[5]) / 2n;

/** Returns whether a balance is exactly the rent-exempt minimum of some size, at any of the rates. */
export const isExactRent = (lamports: bigint): boolean =>
  RATES.some((rate) => lamports >= OVERHEAD * rate && lamports % rate === 0n);
