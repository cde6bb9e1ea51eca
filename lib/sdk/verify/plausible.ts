import { ASSETS, assetOfMint } from "../../domain/assets";
import { share, valueMicroUsd } from "../../domain/money";
import { must } from "../../domain/not-as-shown";
import { DEFAULT_PRICE_BOUNDS, mostLamports } from "../../domain/price-bounds";
import type { SwapTerms } from "../../domain/swap-check";

/** What this package itself believes a coin can be worth at all, whatever a server says; they come with it. */
const BOUNDS = DEFAULT_PRICE_BOUNDS;

/** The most lamports that `microUsd` can be, at the least plausible price of SOL. */
export const mostLamportsOf = (microUsd: bigint) => mostLamports(microUsd, BOUNDS);

/**
 * What a swap brings at least, at the most it can be worth, makes up for what it takes, at the least that can be worth.
 * It keeps a quote of next to nothing from passing for a swap; it is no price.
 * @throws {NotAsShown}
 */
export function mustBePlausible({ inputMint, outputMint, inputAmount, slippageBps }: SwapTerms, minimum: bigint): void {
  const [sold, bought] = [assetOfMint(inputMint), assetOfMint(outputMint)];
  must(sold !== null && bought !== null, "other_token");
  const taken = valueMicroUsd(inputAmount, ASSETS[sold].decimals, BOUNDS[sold].min);
  const brought = valueMicroUsd(minimum, ASSETS[bought].decimals, BOUNDS[bought].max);
  must(brought >= share(taken, BigInt(10_000 - slippageBps)), "implausible");
}
