import type { DataOf } from "../../contracts/define";
import type { quoteSwapContract } from "../../contracts/quote-swap";
import { ASSETS, type AssetSymbol } from "../../domain/assets";
import { lamportsToSol } from "../../domain/money";
import type { Prices, SwapPlan } from "../../ports";

type Figures = Pick<
  SwapPlan,
  "inputLamports" | "outputAmount" | "minimumOutputAmount" | "slippageBps" | "priceImpact" | "route"
>;

/** The figures of a swap as the API answers them. */
export function toQuote(
  figures: Figures,
  targetAsset: AssetSymbol,
  prices: Prices | null,
): DataOf<typeof quoteSwapContract> {
  const { mint, decimals } = ASSETS[targetAsset];
  return {
    inputLamports: Number(figures.inputLamports),
    inputSol: lamportsToSol(figures.inputLamports),
    targetAsset,
    outputMint: mint,
    outputAmount: figures.outputAmount.toString(),
    outputDecimals: decimals,
    minimumOutputAmount: figures.minimumOutputAmount.toString(),
    slippageBps: figures.slippageBps,
    priceImpact: figures.priceImpact,
    route: figures.route,
    priceUsd: prices?.usd[targetAsset] ?? null,
  };
}
