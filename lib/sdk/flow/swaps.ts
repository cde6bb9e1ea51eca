import type { AssetSymbol } from "../../domain/assets";
import { ApiError } from "../calls/api-error";
import type { Calls } from "../calls/calls";
import type { AssetPrices } from "../prices/guard";

/** The service's prices, against which a swap is checked. `PriceGuard` compares them with confirmed prices. */
export interface BuildPrices {
  prices: AssetPrices;
}

/** Adds the service's prices of these assets to a build. A build that is not ready gets none. @throws {ApiError} */
export async function addPrices<Build extends { ready: boolean }>(
  calls: Calls,
  build: Build,
  assets: readonly AssetSymbol[],
): Promise<Build & BuildPrices> {
  if (!build.ready) return { ...build, prices: {} };
  const { prices } = await calls.get("/api/price");
  const missingAsset = assets.find((asset) => prices[asset] === undefined);
  if (missingAsset)
    throw new ApiError("price_stale", `The price of ${missingAsset} is missing right now.`, { status: 503 });
  return { ...build, prices: Object.fromEntries(assets.map((asset) => [asset, prices[asset]])) };
}

/** Returns whether an amount fell by more than 0.1 %. A smaller loss needs no new review. */
const hasFallen = (newAmount: bigint, previousAmount: bigint) => newAmount * 1_000n < previousAmount * 999n;

/** In base units. */
interface QuotedAmounts {
  asset: string;
  inputAmount: string;
  quote: { minimumOutputAmount: string };
}

/**
 * Returns whether any swap has a lower minimum output than the previous swap of the same asset, in total or per unit of
 * input, because the input may have grown.
 */
export function hasOutputFallenBelow(newSwaps: QuotedAmounts[], previousSwaps: QuotedAmounts[]): boolean {
  return newSwaps.some((newSwap) => {
    const previousSwap = previousSwaps.find(({ asset }) => asset === newSwap.asset);
    if (!previousSwap) return false;
    const newMinimum = BigInt(newSwap.quote.minimumOutputAmount);
    const previousMinimum = BigInt(previousSwap.quote.minimumOutputAmount);
    return (
      hasFallen(newMinimum, previousMinimum) ||
      hasFallen(newMinimum * BigInt(previousSwap.inputAmount), previousMinimum * BigInt(newSwap.inputAmount))
    );
  });
}
