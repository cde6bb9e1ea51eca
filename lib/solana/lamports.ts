/** Apart from the addresses of programs: pages that only show amounts would carry those along. */
export const LAMPORTS_PER_SOL = 1_000_000_000n;
