import { BPS, valueMicroUsd } from "../money";

/** What a venue may cost beyond the slippage, in basis points: its fee, the spread, and two sources of prices that differ. */
const VENUE_BPS = 300n;

/** Values are compared in millionths of a millionth of a micro-dollar, so that dust is not rounded away. */
const FINER = 1_000_000_000_000n;

export interface PricedAmount {
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** US dollars for one coin. */
  usd: number;
}

/**
 * Whether what is received is worth what is paid, less the slippage and the margin; one base unit more or less is
 * rounding.
 * @param slippageBps 0 … 1000
 * @param marginBps basis points of the input that a venue may cost beyond the slippage
 */
export function isFairSwap(
  paid: PricedAmount,
  received: PricedAmount,
  slippageBps: number,
  marginBps = VENUE_BPS,
): boolean {
  const given = valueMicroUsd(paid.amount * FINER, paid.decimals, paid.usd);
  const taken = valueMicroUsd((received.amount + 1n) * FINER, received.decimals, received.usd);
  return taken * BPS >= given * (BPS - BigInt(slippageBps) - marginBps);
}
