/**
 * The commitment of every read, and of an outcome: two thirds of the stake have voted for the block. Under Alpenglow, a
 * confirmed block is final.
 */
export const COMMITMENT = "confirmed" as const;
