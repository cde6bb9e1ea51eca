/** An inclusive range. With `above`, the lower end is excluded. */
export type Range = { min: number; max: number } | { above: number; max: number };

/** Limits of request fields. Contracts refuse values outside them, and pages check them while the user types. */
export const PAYMENT_USD_RANGE = { min: 0, max: 1_000_000 } as const;
export const ROUND_TO_USD_RANGE = { min: 0.01, max: 100 } as const;
export const CEILING_USD_RANGE = { above: 0, max: 100 } as const;
/** Whole numbers only. */
export const MULTIPLIER_RANGE = { min: 1, max: 10 } as const;
export const THRESHOLD_USD_RANGE = { above: 0, max: 1_000_000 } as const;
export const SLIPPAGE_BPS_RANGE = { min: 1, max: 1_000 } as const;
/** USD per top-up. */
export const TOPUP_USD_RANGE = { min: 0.5, max: 10_000 } as const;
/** USD per allowance. */
export const ALLOWANCE_USD_RANGE = { min: 1, max: 1_000 } as const;
/** Payments per batch. */
export const BATCH_SIZE_RANGE = { min: 1, max: 500 } as const;
/** Lamports per quote. The maximum is a million SOL, far below 2^53. */
export const SWAP_LAMPORTS_RANGE = { min: 1, max: 1_000_000_000_000_000 } as const;
/** Play-money SOL per airdrop. The minimum is one lamport. */
export const AIRDROP_SOL_RANGE = { min: 0.000000001, max: 10 } as const;
/** Play-money USDC per airdrop. */
export const AIRDROP_USDC_RANGE = { min: 0.01, max: 1_000 } as const;

/** API calls per address in any rolling window. The API publishes it. */
export const CALL_RATE_LIMIT = 60;
/** `OPTIONS` requests per address in any rolling window. They do not count as calls. */
export const OPTIONS_RATE_LIMIT = 300;
/** Health probes per address in any rolling window. They do not count as calls. */
export const PROBE_RATE_LIMIT = 300;
/** Page loads per address in any rolling window. Scripts, images and other files do not count. */
export const PAGE_RATE_LIMIT = 600;
/** The largest number of unfinished transactions of one address, and of its calls that wait for an event. */
export const PLACES_PER_ADDRESS = 20;
/** Returns the same number for a static key. @param callsPerMinute the key's own limit, if it has one */
export const computePlacesOfKey = (callsPerMinute = CALL_RATE_LIMIT): number =>
  Math.max(PLACES_PER_ADDRESS, Math.floor(callsPerMinute / 3));
/** Length of the rolling window in ms. The API publishes it. */
export const RATE_WINDOW_MS = 60_000;
