/** An allowance gives the service wallet the network fees of this many savings. */
export const RESERVED_SAVINGS = 20n;
