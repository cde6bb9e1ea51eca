/** A range with both ends in it, or open at its lower end. */
export type Range = { min: number; max: number } | { above: number; max: number };

/** What a request may ask for: contracts refuse the rest, pages say so while one types. */
export const PURCHASE_USD = { min: 0, max: 1_000_000 } as const;
export const ROUND_TO_USD = { min: 0.01, max: 100 } as const;
export const CEILING_USD = { above: 0, max: 100 } as const;
/** Whole times. */
export const MULTIPLIER = { min: 1, max: 10 } as const;
export const THRESHOLD_USD = { above: 0, max: 1_000_000 } as const;
export const SLIPPAGE_BPS = { min: 1, max: 1_000 } as const;
/** USD of one top-up. */
export const TOPUP_USD = { min: 0.5, max: 10_000 } as const;
/** Purchases of one batch. */
export const BATCH_SIZE = { min: 1, max: 500 } as const;
/** SOL into one quote: 10^15 lamports are a million SOL, and far below 2^53. */
export const SWAP_LAMPORTS = { min: 1, max: 1_000_000_000_000_000 } as const;
/** Play money of one airdrop; from one lamport on. */
export const AIRDROP_SOL = { min: 0.000000001, max: 10 } as const;

/** Calls that one address may make in any rolling window; published in the API's limits. */
export const RATE_LIMIT = 60;
/** Pages that one address may load in any rolling window. Scripts, pictures and other files are not counted. */
export const PAGE_RATE_LIMIT = 600;
/** Length of the rolling window, ms; published in the API's limits. */
export const RATE_WINDOW_MS = 60_000;
