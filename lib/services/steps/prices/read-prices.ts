import type { AssetSymbol } from "../../../domain/assets";
import { toMicroUsd } from "../../../domain/money";
import { computeAgeMs } from "../../../domain/prices/age";
import { isSound, type Prices } from "../../../domain/prices/prices";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { tolerate } from "../tolerate";

/** Prices older than this are shown as stale. Source: the interface's 30 s price cache. */
export const STALE_AFTER_MS = 30_000;
/** No transaction is built with prices older than this. */
const MAX_BUILD_AGE_MS = 60_000;

/** Prices that are sound enough to build transactions: SOL and the assets `A`. */
export type SoundPrices<A extends AssetSymbol> = Prices & { usd: Record<A | "SOL", number> };

/**
 * Reads prices and requires them to be sound enough to build transactions. Always checks SOL.
 * @param assets other assets to check
 * @throws AppError price_stale, naming the asset, when one is missing, in doubt, or older than a minute
 */
export async function requireSoundPrices<A extends AssetSymbol = "SOL">(
  { prices, clock }: Deps,
  assets: readonly A[] = [],
): Promise<SoundPrices<A>> {
  const current = await prices.readCurrent();
  const isOld = computeAgeMs(current.fetchedAt, clock.now()) > MAX_BUILD_AGE_MS;
  const unsound = ["SOL" as const, ...assets].find((asset) => isOld || !isSound(current, asset));
  if (unsound !== undefined) {
    const message = `There is no price of ${unsound} right now that is good enough to build with. Try again shortly.`;
    throw new AppError("price_stale", { message, retryAfterSeconds: 10 });
  }
  return current as SoundPrices<A>;
}

/** Reads prices to display. Returns null if they cannot be read. For answers that do not depend on prices. */
export async function readPricesOrNull({ prices }: Deps): Promise<Prices | null> {
  return tolerate(prices.readCurrent());
}

/** Reads the price of SOL in micro-dollars. Returns null if it is missing or in doubt. Does not check its age. */
export async function readSoundSolPrice(deps: Deps): Promise<bigint | null> {
  const prices = await readPricesOrNull(deps);
  return prices && isSound(prices, "SOL") ? toSolPriceMicroUsd(prices) : null;
}

/** Returns micro-dollars per SOL. All figures of an answer are computed from this integer, so that they agree. */
export function toSolPriceMicroUsd(prices: Prices): bigint {
  return toMicroUsd(prices.usd.SOL);
}
