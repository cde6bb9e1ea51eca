import type { getPricesContract } from "../../contracts/get-prices";
import type { AssetSymbol } from "../../domain/assets";
import { ApiError } from "../calls/api-error";
import type { Calls } from "../calls/calls";
import type { AssetPrices } from "../prices/memory";

/** Prices that a swap is held against: those of the service, which `PriceGuard` holds against confirmed ones. */
export interface Priced {
  prices: AssetPrices;
}

/** A build of swaps with the prices of these assets; one that is not ready needs none. @throws {ApiError} */
export async function withPrices<B extends { ready: boolean }>(
  calls: Calls,
  build: B,
  assets: readonly AssetSymbol[],
): Promise<B & Priced> {
  if (!build.ready) return { ...build, prices: {} };
  const { prices } = await calls.get<typeof getPricesContract>("/api/price");
  const missing = assets.find((asset) => prices[asset] === undefined);
  if (missing) throw new ApiError("price_stale", `The price of ${missing} is missing right now.`, { status: 503 });
  return { ...build, prices: Object.fromEntries(assets.map((asset) => [asset, prices[asset]])) };
}
