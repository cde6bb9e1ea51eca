import type { DataOf, InputOf } from "../contracts/define";
import type { quoteSwapContract } from "../contracts/quote-swap";
import { ASSETS, DEFAULT_ASSET } from "../domain/assets";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import type { Deps } from "../ports/deps";
import { NATIVE_MINT } from "../solana/programs";
import { readPricesOrNull } from "./steps/prices/read-prices";
import { toQuote } from "./steps/swap/quote";

/** Quotes a swap of SOL into an asset. Builds no transaction. @throws AppError no_route, upstream_* */
export async function quoteSwap(
  deps: Deps,
  input: InputOf<typeof quoteSwapContract>,
): Promise<DataOf<typeof quoteSwapContract>> {
  const asset = input.targetAsset ?? DEFAULT_ASSET;
  const slippageBps = input.slippageBps ?? DEFAULT_SLIPPAGE_BPS;
  const amount = BigInt(input.inputLamports);
  if (asset === "SOL") {
    const amounts = { inputAmount: amount, outputAmount: amount, minimumOutputAmount: amount };
    return toQuote({ ...amounts, slippageBps, priceImpact: 0, route: [] }, asset, await readPricesOrNull(deps));
  }
  const request = { inputMint: NATIVE_MINT, outputMint: ASSETS[asset].mint, amount, slippageBps, taker: null };
  const [plan, prices] = await Promise.all([deps.swaps.planSwap(request), readPricesOrNull(deps)]);
  return toQuote(plan, asset, prices);
}
