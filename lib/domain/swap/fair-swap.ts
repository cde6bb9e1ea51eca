import { BPS, computeValueMicroUsd } from "../money";

/** Allowed cost beyond the slippage in bps: the venue's fee, the spread, and differences between price sources. */
const VENUE_BPS = 300n;

/** Values are compared in 10^-12 micro-dollars, so that dust does not round to zero. */
const PRECISION = 1_000_000_000_000n;

export interface PricedAmount {
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** US dollars for one coin. */
  usd: number;
}

/**
 * Returns whether the output is worth the input, less slippage and margin. Allows one base unit for rounding.
 * @param slippageBps 0…1000
 * @param marginBps allowed cost of the venue beyond the slippage, in basis points of the input
 */
export function isFairSwap(
  paid: PricedAmount,
  received: PricedAmount,
  slippageBps: number,
  marginBps = VENUE_BPS,
): boolean {
  const paidValue = computeValueMicroUsd(paid.amount * PRECISION, paid.decimals, paid.usd);
  const taken = computeValueMicroUsd((received.amount + 1n) * PRECISION, received.decimals, received.usd);
  return taken * BPS >= paidValue * (BPS - BigInt(slippageBps) - marginBps);
}
