import type { DataOf, InputOf } from "../contracts/define";
import type { quoteSwapContract } from "../contracts/quote-swap";
import { ASSETS, DEFAULT_ASSET } from "../domain/assets";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import type { Deps } from "../ports/deps";
import { readPricesOrNull } from "./steps/prices/read-prices";
import { toQuote } from "./steps/swap/quote";

export async function quoteSwap(
  deps: Deps,
  input: InputOf<typeof quoteSwapContract>,
): Promise<DataOf<typeof quoteSwapContract>> {
  const { payWith = "SOL", targetAsset: asset = DEFAULT_ASSET, slippageBps = DEFAULT_SLIPPAGE_BPS } = input;
  // The contract requires exactly the one of these that belongs to `payWith`.
  const amount = BigInt(input.inputAmount ?? input.inputLamports!);
  if (asset === payWith) {
    const amounts = { inputAmount: amount, outputAmount: amount, minimumOutputAmount: amount };
    return toQuote({ ...amounts, slippageBps, priceImpact: 0, route: [] }, asset, asset, await readPricesOrNull(deps));
  }
  const mints = { inputMint: ASSETS[payWith].mint, outputMint: ASSETS[asset].mint };
  const [plan, prices] = await Promise.all([
    deps.swaps.planSwap({ ...mints, amount, slippageBps, taker: null }),
    readPricesOrNull(deps),
  ]);
  return toQuote(plan, payWith, asset, prices);
}
