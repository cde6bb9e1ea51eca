import type { buildSaleContract } from "../../../contracts/build-sale";
import type { DataOf } from "../../../contracts/define";
import type { quoteSwapContract } from "../../../contracts/quote-swap";
import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import { lamportsToSol } from "../../../domain/money";
import { hasSoundPrice, type Prices } from "../../../domain/prices/prices";
import { isFairSwap } from "../../../domain/swap/fair-swap";
import type { SwapPlan } from "../../../domain/swap/swap-plan";

/** The amounts and the route of a swap, in base units. */
type Offer = Omit<SwapPlan, "instructions" | "lookupTables">;

/** Converts an offer to sell SOL to the API's answer. @param prices null if they could not be read */
export function toQuote(
  offer: Offer,
  targetAsset: AssetSymbol,
  prices: Prices | null,
): DataOf<typeof quoteSwapContract> {
  const { inputAmount } = offer;
  const inputFields = { inputLamports: Number(inputAmount), inputSol: lamportsToSol(inputAmount) };
  return { ...inputFields, ...toOutputFields(offer, "SOL", targetAsset, prices) };
}

/** Converts an offer to sell another asset to the API's answer. */
export function toSaleQuote(
  offer: Offer,
  { asset, into }: { asset: AssetSymbol; into: AssetSymbol },
  prices: Prices,
): DataOf<typeof buildSaleContract>["transactions"][number]["quote"] {
  const { mint: inputMint, decimals: inputDecimals } = ASSETS[asset];
  const inputFields = { inputMint, inputAmount: offer.inputAmount.toString(), inputDecimals };
  return { ...inputFields, ...toOutputFields(offer, asset, into, prices) };
}

/** Converts the fields that both kinds of quotes share. */
function toOutputFields(offer: Offer, soldAsset: AssetSymbol, targetAsset: AssetSymbol, prices: Prices | null) {
  const { mint, decimals } = ASSETS[targetAsset];
  return {
    targetAsset,
    outputMint: mint,
    outputAmount: offer.outputAmount.toString(),
    outputDecimals: decimals,
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
