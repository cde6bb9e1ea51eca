import type { z } from "zod";
import type { SwapQuote } from "../../../contracts/swap-fields";
import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import { lamportsToSol } from "../../../domain/money";
import { hasSoundPrice, type Prices } from "../../../domain/prices/prices";
import { isFairSwap } from "../../../domain/swap/fair-swap";
import type { SwapPlan } from "../../../domain/swap/swap-plan";

type Offer = Omit<SwapPlan, "instructions" | "lookupTables">;

/** Converts an offer to the API's answer. @param prices null if they could not be read */
export function toQuote(
  offer: Offer,
  soldAsset: AssetSymbol,
  targetAsset: AssetSymbol,
  prices: Prices | null,
): z.infer<typeof SwapQuote> {
  const [sold, target] = [ASSETS[soldAsset], ASSETS[targetAsset]];
  const inputLamports = soldAsset === "SOL" ? offer.inputAmount : 0n;
  return {
    inputLamports: Number(inputLamports),
    inputSol: lamportsToSol(inputLamports),
    inputMint: sold.mint,
    inputAmount: offer.inputAmount.toString(),
    inputDecimals: sold.decimals,
    targetAsset,
    outputMint: target.mint,
    outputAmount: offer.outputAmount.toString(),
    outputDecimals: target.decimals,
    minimumOutputAmount: offer.minimumOutputAmount.toString(),
    slippageBps: offer.slippageBps,
    priceImpact: offer.priceImpact,
    route: offer.route,
    priceUsd: prices?.usd[targetAsset] ?? null,
    warning: prices && findWarning(offer, soldAsset, targetAsset, prices),
  };
}

/**
 * Returns a warning if no build would accept the offer, because it is a loss at sound prices. Returns null if the offer
 * is fair or the prices are not sound.
 */
function findWarning(
  { inputAmount, outputAmount, slippageBps }: Offer,
  soldAsset: AssetSymbol,
  boughtAsset: AssetSymbol,
  prices: Prices,
): string | null {
  const [soldUsd, boughtUsd] = [soldAsset, boughtAsset].map((symbol) =>
    hasSoundPrice(prices, symbol) ? prices.usd[symbol] : undefined,
  );
  if (soldUsd === undefined || boughtUsd === undefined) return null;
  const paidAmount = { amount: inputAmount, decimals: ASSETS[soldAsset].decimals, priceUsd: soldUsd };
  const receivedAmount = { amount: outputAmount, decimals: ASSETS[boughtAsset].decimals, priceUsd: boughtUsd };
  if (isFairSwap(paidAmount, receivedAmount, slippageBps)) return null;
  return `The venue offers less ${boughtAsset} than the market price allows; try again later or another asset.`;
}
