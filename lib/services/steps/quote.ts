import type { DataOf } from "../../contracts/define";
import type { quoteSwapContract } from "../../contracts/quote-swap";
import { ASSETS, type AssetSymbol } from "../../domain/assets";
import { isFairSwap } from "../../domain/fair-swap";
import { lamportsToSol } from "../../domain/money";
import { isSound } from "../../domain/prices";
import type { Prices, SwapPlan } from "../../ports";

type Figures = Pick<
  SwapPlan,
  "inputAmount" | "outputAmount" | "minimumOutputAmount" | "slippageBps" | "priceImpact" | "route"
>;

/** The figures of a swap as the API answers them. */
export function toQuote(
  figures: Figures,
  targetAsset: AssetSymbol,
  prices: Prices | null,
): DataOf<typeof quoteSwapContract> {
  const { mint, decimals } = ASSETS[targetAsset];
  return {
    inputLamports: Number(figures.inputAmount),
    inputSol: lamportsToSol(figures.inputAmount),
    targetAsset,
    outputMint: mint,
    outputAmount: figures.outputAmount.toString(),
    outputDecimals: decimals,
    minimumOutputAmount: figures.minimumOutputAmount.toString(),
    slippageBps: figures.slippageBps,
    priceImpact: figures.priceImpact,
    route: figures.route,
    priceUsd: prices?.usd[targetAsset] ?? null,
    warning: prices && warningOf(figures, targetAsset, prices),
  };
}

/** Why no build would take it: held against prices that are good enough to build with, it is a loss. Null where none can say. */
function warningOf(
  { inputAmount, outputAmount, slippageBps }: Figures,
  asset: AssetSymbol,
  prices: Prices,
): string | null {
  const usd = isSound(prices, asset) && isSound(prices, "SOL") ? prices.usd[asset] : undefined;
  if (usd === undefined) return null;
  const paid = { amount: inputAmount, decimals: ASSETS.SOL.decimals, usd: prices.usd.SOL };
  const received = { amount: outputAmount, decimals: ASSETS[asset].decimals, usd };
  if (isFairSwap(paid, received, slippageBps)) return null;
  return `The venue offers less ${asset} than the market price allows; try again later or another asset.`;
}
