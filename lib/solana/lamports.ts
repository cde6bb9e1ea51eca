/** Stands apart from programs.ts, so that pages that only show amounts do not bundle the program addresses. */
export const LAMPORTS_PER_SOL = 1_000_000_000n;
