import { BPS, computeValueMicroUsd } from "../money";

/** Allowed cost beyond the slippage, bps. It covers the venue's fee, the spread and different price sources. */
const DEFAULT_MARGIN_BPS = 300n;

/** Multiplies both amounts before they are compared, so that dust does not round to zero. */
const PRECISION = 1_000_000_000_000n;

interface PricedAmount {
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** US dollars for one coin. */
  priceUsd: number;
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
  marginBps = DEFAULT_MARGIN_BPS,
): boolean {
  const paidValue = computeValueMicroUsd(paid.amount * PRECISION, paid.decimals, paid.priceUsd);
  const receivedValue = computeValueMicroUsd((received.amount + 1n) * PRECISION, received.decimals, received.priceUsd);
  return receivedValue * BPS >= paidValue * (BPS - BigInt(slippageBps) - marginBps);
}
