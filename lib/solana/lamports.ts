/* This constant has its own file, so that pages that only show amounts do not bundle the addresses of programs.ts. */

export const LAMPORTS_PER_SOL = 1_000_000_000n;
