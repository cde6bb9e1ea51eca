import { ASSETS, findAssetByMint } from "../../domain/assets";
import { must } from "../../domain/not-as-shown";
import { DEFAULT_PRICE_BOUNDS, isWithin } from "../../domain/prices/price-bounds";
import { isFairSwap } from "../../domain/swap/fair-swap";
import type { SwapTerms } from "../../domain/swap/swap-check";
import type { AssetPrices } from "../prices/memory";

/**
 * Basis points that a swap may cost beyond its slippage. This covers the margin that the service allows its venue, and
 * 2 % for prices read at slightly different times.
 */
const MARGIN_BPS = 500n;

/**
 * Asserts that a swap's minimum output is worth its input, less the slippage and MARGIN_BPS.
 * @param prices prices of both assets; `PriceGuard` compares them with confirmed prices before anything is signed
 * @throws {NotAsShown}
 */
export function mustBeFair(terms: SwapTerms, minimum: bigint, prices: AssetPrices): void {
  const { inputMint, outputMint, inputAmount, slippageBps } = terms;
  const paid = { amount: inputAmount, ...findPricedCoin(inputMint, prices) };
  const received = { amount: minimum, ...findPricedCoin(outputMint, prices) };
  must(isFairSwap(paid, received, slippageBps, MARGIN_BPS), "implausible");
}

function findPricedCoin(mint: string, prices: AssetPrices) {
  const asset = findAssetByMint(mint);
  must(asset !== null, "other_token");
  const usd = prices[asset];
  // These bounds of the package hold whatever prices the service names.
  must(usd !== undefined && isWithin(usd, DEFAULT_PRICE_BOUNDS[asset]), "implausible");
  return { decimals: ASSETS[asset].decimals, usd };
}
