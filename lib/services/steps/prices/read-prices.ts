import type { DataOf } from "../../../contracts/define";
import type { getPricesContract } from "../../../contracts/get-prices";
import { ASSET_SYMBOLS, type AssetSymbol } from "../../../domain/assets";
import { toMicroUsd } from "../../../domain/money";
import { computeAgeMs } from "../../../domain/prices/age";
import { hasSoundPrice, isUsdcAtParity, type Prices } from "../../../domain/prices/prices";
import { AppError, awaitOrNull } from "../../../errors";
import type { Deps } from "../../../ports/deps";

/** Prices older than this are shown as stale. Source: the interface's 30 s price cache. */
const STALE_AFTER_MS = 30_000;
/** The maximum age of prices with which a transaction is built. */
const MAX_BUILD_AGE_MS = 60_000;

/** Prices that are sound enough to build transactions: those of SOL and of `Asset`. */
type SoundPrices<Asset extends AssetSymbol> = Prices & { usd: Record<Asset | "SOL", number> };

/**
 * Reads prices and requires them to be sound enough to build transactions. Always checks SOL.
 * @param assets other assets to check
 * @throws AppError price_stale, naming the asset, when one is missing, in doubt, or older than a minute
 */
export async function requireSoundPrices<Asset extends AssetSymbol = "SOL">(
  { prices, clock }: Deps,
  assets: readonly Asset[] = [],
): Promise<SoundPrices<Asset>> {
  const currentPrices = await prices.readCurrent();
  const isTooOld = computeAgeMs(currentPrices.fetchedAt, clock.now()) > MAX_BUILD_AGE_MS;
  const unsoundAsset = ["SOL" as const, ...assets].find((asset) => isTooOld || !hasSoundPrice(currentPrices, asset));
  if (unsoundAsset !== undefined) {
    const message = `There is no price of ${unsoundAsset} right now that is good enough to build with. Try again shortly.`;
    throw new AppError("price_stale", { message, retryAfterSeconds: 10 });
  }
  return currentPrices as SoundPrices<Asset>;
}

/**
 * Reads prices as `requireSoundPrices` does, and requires USDC to count as exactly one dollar in each source.
 * @throws AppError price_stale; service_not_ready while USDC is off parity
 */
export async function requireUsdcAtParity<Asset extends AssetSymbol = "USDC">(
  deps: Deps,
  assets: readonly Asset[] = [],
): Promise<SoundPrices<Asset | "USDC">> {
  const prices = await requireSoundPrices(deps, ["USDC" as const, ...assets]);
  if (isUsdcAtParity(prices)) return prices;
  const message = "USDC is not worth one dollar right now, so nothing is built with it. SOL still works.";
  throw new AppError("service_not_ready", { message, retryAfterSeconds: 60 });
}

/** Reads the prices for an answer that can do without them. Returns null if they cannot be read. */
export async function readPricesOrNull({ prices }: Deps): Promise<Prices | null> {
  return awaitOrNull(prices.readCurrent());
}

/** Reads the price of SOL in micro-dollars. Returns null if it is missing or in doubt. Does not check its age. */
export async function readSoundSolPrice(deps: Deps): Promise<bigint | null> {
  const prices = await readPricesOrNull(deps);
  return prices && hasSoundPrice(prices, "SOL") ? toSolPriceMicroUsd(prices) : null;
}

/** Returns micro-dollars per SOL. All figures of an answer are computed from this integer, so that they agree. */
export function toSolPriceMicroUsd(prices: Prices): bigint {
  return toMicroUsd(prices.usd.SOL);
}

const PROBLEM_TEXTS = {
  missing: "No usable price is known right now.",
  disputed: "A second source disagrees; nothing is built with this price.",
  jumped: "It has moved by more than 20 % and is not confirmed yet; nothing is built with this price.",
  unchecked: "It could not be compared with what was known; nothing is built with this price.",
};

type PriceList = DataOf<typeof getPricesContract>;

/** Caches the last list of each price reading. Requests in the same millisecond share it. */
const cachedLists = new WeakMap<Prices, PriceList>();

/** Reads the current prices, their age and the doubts about them. @throws AppError upstream_*, price_stale */
export async function readPriceList({ prices, clock }: Deps): Promise<PriceList> {
  const currentPrices = await prices.readCurrent();
  const now = clock.now();
  const ageMs = Math.max(0, now - currentPrices.fetchedAt);
  const isTooOld = computeAgeMs(currentPrices.fetchedAt, now) > STALE_AFTER_MS;
  const cachedList = cachedLists.get(currentPrices);
  if (cachedList?.ageMs === ageMs && !isTooOld) return cachedList;
  const list: PriceList = {
    prices: currentPrices.usd,
    timestamp: new Date(currentPrices.fetchedAt).toISOString(),
    ageMs,
    stale: isTooOld || Object.keys(currentPrices.doubts).length > 0,
    source: currentPrices.source,
    problems: ASSET_SYMBOLS.flatMap((asset) => {
      const problem = currentPrices.usd[asset] === undefined ? "missing" : currentPrices.doubts[asset];
      return problem ? [{ asset, problem, message: PROBLEM_TEXTS[problem] }] : [];
    }),
  };
  if (!isTooOld) cachedLists.set(currentPrices, list);
  return list;
}
