/** Of every read, and of an outcome: two thirds of the stake have voted for the block. Final under Alpenglow. */
export const COMMITMENT = "confirmed" as const;
