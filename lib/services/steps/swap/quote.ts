import type { buildSaleContract } from "../../../contracts/build-sale";
import type { DataOf } from "../../../contracts/define";
import type { quoteSwapContract } from "../../../contracts/quote-swap";
import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import { lamportsToSol } from "../../../domain/money";
import { isSound, type Prices } from "../../../domain/prices/prices";
import { isFairSwap } from "../../../domain/swap/fair-swap";
import type { SwapPlan } from "../../../domain/swap/swap-plan";

/** The amounts and the route of a swap, in base units. */
type Offer = Omit<SwapPlan, "instructions" | "lookupTables">;

/** Converts an offer for SOL to the API's answer. */
export function toQuote(
  offer: Offer,
  targetAsset: AssetSymbol,
  prices: Prices | null,
): DataOf<typeof quoteSwapContract> {
  const { inputAmount } = offer;
  const inputFields = { inputLamports: Number(inputAmount), inputSol: lamportsToSol(inputAmount) };
  return { ...inputFields, ...toOutputFields(offer, "SOL", targetAsset, prices) };
}

/** Converts the offer of a sale to the API's answer. */
export function toSaleQuote(
  offer: Offer,
  { asset, into }: { asset: AssetSymbol; into: AssetSymbol },
  prices: Prices,
): DataOf<typeof buildSaleContract>["transactions"][number]["quote"] {
  const { mint: inputMint, decimals: inputDecimals } = ASSETS[asset];
  const inputFields = { inputMint, inputAmount: offer.inputAmount.toString(), inputDecimals };
  return { ...inputFields, ...toOutputFields(offer, asset, into, prices) };
}

/** Converts the fields that a quote of SOL and a sale share. */
function toOutputFields(offer: Offer, sold: AssetSymbol, targetAsset: AssetSymbol, prices: Prices | null) {
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
    warning: prices && findWarning(offer, sold, targetAsset, prices),
  };
}

/**
 * Returns a warning if no build would accept the offer, because it is a loss at sound prices. Returns null if the offer
 * is fair or the prices are not sound.
 */
function findWarning(
  { inputAmount, outputAmount, slippageBps }: Offer,
  sold: AssetSymbol,
  bought: AssetSymbol,
  prices: Prices,
): string | null {
  const [soldUsd, boughtUsd] = [sold, bought].map((symbol) =>
    isSound(prices, symbol) ? prices.usd[symbol] : undefined,
  );
  if (soldUsd === undefined || boughtUsd === undefined) return null;
  const paidAmount = { amount: inputAmount, decimals: ASSETS[sold].decimals, priceUsd: soldUsd };
  const receivedAmount = { amount: outputAmount, decimals: ASSETS[bought].decimals, priceUsd: boughtUsd };
  if (isFairSwap(paidAmount, receivedAmount, slippageBps)) return null;
  return `The venue offers less ${bought} than the market price allows; try again later or another asset.`;
}
