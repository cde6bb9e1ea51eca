import type { Allocation } from "../domain/allocations";
import { ASSETS, type PayAsset } from "../domain/assets";
import { fromMicroUsd } from "../domain/money";
import { isAtParity } from "../domain/prices/price-bounds";

interface Holdings {
  balances: readonly { mint: string; amount: string; priceUsd: number | null }[];
}

/** Returns the US dollars that the USDC of a portfolio can spend: 0 while USDC is not worth one dollar. */
export function computeUsdcUsd({ balances }: Holdings): number {
  const usdc = balances.find(({ mint }) => mint === ASSETS.USDC.mint);
  // A unit of USDC is one micro-dollar.
  return usdc && usdc.priceUsd !== null && isAtParity(usdc.priceUsd) ? fromMicroUsd(BigInt(usdc.amount)) : 0;
}

/**
 * Returns what an investment spends unless the user chooses: USDC if it reaches the threshold alone, otherwise SOL. An
 * allocation with USDC spends SOL, because its user holds USDC as an investment.
 */
export const suggestPayWith = (usdcUsd: number, allocations: readonly Allocation[], thresholdUsd: number): PayAsset =>
  usdcUsd >= thresholdUsd && allocations.every(({ asset }) => asset !== "USDC") ? "USDC" : "SOL";
