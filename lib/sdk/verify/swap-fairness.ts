import { ASSETS, findAssetByMint } from "../../domain/assets";
import { assertAsShown } from "../../domain/not-as-shown";
import { DEFAULT_PRICE_BOUNDS, isWithinBound } from "../../domain/prices/price-bounds";
import { isFairSwap } from "../../domain/swap/fair-swap";
import type { SwapTerms } from "../../domain/swap/swap-check";
import type { AssetPrices } from "../prices/price-store";

/**
 * Basis points that a swap may cost beyond its slippage. This covers the margin that the service allows its venue, and
 * 2 % for prices read at slightly different times.
 */
const MARGIN_BPS = 500n;

/**
 * Requires that a swap's minimum output is worth its input, less the slippage and MARGIN_BPS.
 * @param prices prices of both assets; `PriceGuard` compares them with confirmed prices before anything is signed
 * @throws {NotAsShown}
 */
export function requireFairSwap(terms: SwapTerms, minimumOutput: bigint, prices: AssetPrices): void {
  const { inputMint, outputMint, inputAmount, slippageBps } = terms;
  const input = { amount: inputAmount, ...getPricedCoin(inputMint, prices) };
  const output = { amount: minimumOutput, ...getPricedCoin(outputMint, prices) };
  assertAsShown(isFairSwap(input, output, slippageBps, MARGIN_BPS), "implausible");
}

/** Returns an asset's decimals and price. @throws {NotAsShown} for an unknown mint or an implausible price */
function getPricedCoin(mint: string, prices: AssetPrices) {
  const asset = findAssetByMint(mint);
  assertAsShown(asset !== null, "other_token");
  const priceUsd = prices[asset];
  // The package's own bounds apply, whatever price the service names.
  assertAsShown(priceUsd !== undefined && isWithinBound(priceUsd, DEFAULT_PRICE_BOUNDS[asset]), "implausible");
  return { decimals: ASSETS[asset].decimals, priceUsd };
}
