/** Bytes that rent adds to the data size of every account. Source: ACCOUNT_STORAGE_OVERHEAD, solana-rent. */
const OVERHEAD_BYTES = 128n;

/** Past, present and planned rates, highest first. Source: SIMD-0437. The rate is 5,080 since September 2026. */
const LAMPORTS_PER_BYTE_RATES = [6_960n, 6_333n, 5_080n, 2_575n, 1_322n, 696n] as const;
const [HIGHEST_RATE, , , , , LOWEST_RATE] = LAMPORTS_PER_BYTE_RATES;

/** Returns the rent-exempt minimum of `space` data bytes at the highest rate, in lamports. It always suffices. */
export const computeHighestRent = (space: bigint): bigint => (OVERHEAD_BYTES + space) * HIGHEST_RATE;

/** Half of the minimum of `space` data bytes at the lowest planned rate, in lamports: no lower one is plausible. */
export const computeLowestRent = (space: bigint): bigint => ((OVERHEAD_BYTES + space) * LOWEST_RATE) / 2n;

/** Returns whether a balance is exactly the rent-exempt minimum of some size, at any of the rates. */
export const isExactRent = (lamports: bigint): boolean =>
  LAMPORTS_PER_BYTE_RATES.some((rate) => lamports >= OVERHEAD_BYTES * rate && lamports % rate === 0n);
