import type { DataOf, InputOf } from "../contracts/define";
import type { quoteSwapContract } from "../contracts/quote-swap";
import { ASSETS, DEFAULT_ASSET } from "../domain/assets";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import type { Deps } from "../ports";
import { pricesIfAny } from "./steps/prices";
import { toQuote } from "./steps/quote";

export async function quoteSwap(
  deps: Deps,
  input: InputOf<typeof quoteSwapContract>,
): Promise<DataOf<typeof quoteSwapContract>> {
  const asset = input.targetAsset ?? DEFAULT_ASSET;
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
