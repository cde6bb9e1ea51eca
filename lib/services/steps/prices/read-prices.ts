import type { AssetSymbol } from "../../../domain/assets";
import { toMicroUsd } from "../../../domain/money";
import { ageMs } from "../../../domain/prices/age";
import type { Prices } from "../../../domain/prices/prices";
import { isSound } from "../../../domain/prices/prices";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";

/** Older prices are shown as stale. Source: the interface's 30 s price cache. */
export const FRESH_MS = 30_000;
/** Older prices build nothing. */
const BUILDABLE_MS = 60_000;

/** Prices with which transactions can be built, SOL's and those of `A`. */
export type SoundPrices<A extends AssetSymbol> = Prices & { usd: Record<A | "SOL", number> };

/**
 * Prices good enough to build transactions with; SOL's always counts.
 * @param assets the others that count
 * @throws AppError price_stale, naming the asset, when one is missing, in doubt, or older than a minute
 */
export async function pricesForBuilding<A extends AssetSymbol = "SOL">(
  { prices, clock }: Deps,
  assets: readonly A[] = [],
): Promise<SoundPrices<A>> {
  const current = await prices.current();
  const isOld = ageMs(current.fetchedAt, clock.now()) > BUILDABLE_MS;
  const unsound = ["SOL" as const, ...assets].find((asset) => isOld || !isSound(current, asset));
  if (unsound !== undefined) {
    const message = `There is no price of ${unsound} right now that is good enough to build with. Try again shortly.`;
    throw new AppError("price_stale", { message, retryAfterSeconds: 10 });
  }
  return current as SoundPrices<A>;
}

/** Prices to show, or null when there are none: an answer that can do without them does. */
export async function pricesIfAny({ prices }: Deps): Promise<Prices | null> {
  try {
    return await prices.current();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Micro-dollars per SOL where a wrap could be built with it, but for its age; else null. */
export async function soundSolPrice(deps: Deps): Promise<bigint | null> {
  const prices = await pricesIfAny(deps);
  return prices && isSound(prices, "SOL") ? solPriceMicroUsd(prices) : null;
}

/** Micro-dollars per SOL: every figure of an answer is computed from this same integer. */
export function solPriceMicroUsd(prices: Prices): bigint {
  return toMicroUsd(prices.usd.SOL);
}
