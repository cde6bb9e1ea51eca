import type { AssetSymbol } from "../../domain/assets";
import { ApiError } from "../calls/api-error";
import type { Calls } from "../calls/calls";
import type { AssetPrices } from "../prices/memory";

/* Shared by investments and sales. Both swap assets at the prices of the service. */

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

/** Returns whether an amount fell by more than 0.1 %. A smaller loss does not ask the person to review again. */
const isLess = (now: bigint, before: bigint) => now * 1_000n < before * 999n;

/** A swap with its quote, in base units. */
interface QuotedAmounts {
  asset: string;
  inputLamports?: number;
  inputAmount?: string;
  quote: { minimumOutputAmount: string };
}

const getInput = ({ inputLamports, inputAmount }: QuotedAmounts) => BigInt(inputAmount ?? inputLamports ?? 0);

/**
 * Returns whether a swap returns less than the earlier swap of the same asset, in total or per unit of input. The input
 * may have grown since.
 */
export function hasOutputFallenBelow(now: QuotedAmounts[], before: QuotedAmounts[]): boolean {
  return now.some((swap) => {
    const seen = before.find(({ asset }) => asset === swap.asset);
    if (!seen) return false;
    const [least, leastBefore] = [swap, seen].map(({ quote }) => BigInt(quote.minimumOutputAmount)) as [bigint, bigint];
    return isLess(least, leastBefore) || isLess(least * getInput(seen), leastBefore * getInput(swap));
  });
}
