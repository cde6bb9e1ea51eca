import type { DataOf, InputOf } from "../contracts/define";
import type { quoteSwapContract } from "../contracts/quote-swap";
import { ASSETS, type AssetSymbol } from "../domain/assets";
import { lamportsToSol } from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import type { Deps, Prices, SwapPlan } from "../ports";
import { pricesIfAny } from "./steps/prices";

type Quote = DataOf<typeof quoteSwapContract>;

export async function quoteSwap(deps: Deps, input: InputOf<typeof quoteSwapContract>): Promise<Quote> {
  const asset = input.targetAsset ?? "BTC";
  const slippageBps = input.slippageBps ?? DEFAULT_SLIPPAGE_BPS;
  const inputLamports = BigInt(input.inputLamports);
  if (asset === "SOL") {
    const unchanged = { inputLamports, outputAmount: inputLamports, minimumOutputAmount: inputLamports };
    return toQuote({ ...unchanged, slippageBps, priceImpact: 0, route: [] }, asset, await pricesIfAny(deps));
  }
  const request = { outputMint: ASSETS[asset].mint, inputLamports, slippageBps, taker: null };
  const [plan, prices] = await Promise.all([deps.swaps.plan(request), pricesIfAny(deps)]);
  return toQuote(plan, asset, prices);
}

type Figures = Pick<
  SwapPlan,
  "inputLamports" | "outputAmount" | "minimumOutputAmount" | "slippageBps" | "priceImpact" | "route"
>;

/** The figures of a swap as the API answers them. */
export function toQuote(figures: Figures, targetAsset: AssetSymbol, prices: Prices | null): Quote {
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
