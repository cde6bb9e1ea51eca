import type { AssetSymbol } from "../../domain/assets";
import { ApiError } from "../calls/api-error";
import type { Calls } from "../calls/calls";
import type { AssetPrices } from "../prices/memory";

/** The service's prices, against which a swap is checked. `PriceGuard` compares them with confirmed prices. */
export interface BuildPrices {
  prices: AssetPrices;
}

/** Adds the prices of these assets to a build of swaps. A build that is not ready gets none. @throws {ApiError} */
export async function withPrices<B extends { ready: boolean }>(
  calls: Calls,
  build: B,
  assets: readonly AssetSymbol[],
): Promise<B & BuildPrices> {
  if (!build.ready) return { ...build, prices: {} };
  const { prices } = await calls.get("/api/price");
  const missing = assets.find((asset) => prices[asset] === undefined);
  if (missing) throw new ApiError("price_stale", `The price of ${missing} is missing right now.`, { status: 503 });
  return { ...build, prices: Object.fromEntries(assets.map((asset) => [asset, prices[asset]])) };
}
