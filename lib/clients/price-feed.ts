import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../domain/assets";
import { AppError } from "../errors";
import type { Clock, PriceFeed, Prices } from "../ports";
import type { Hermes, ReferencePrice } from "./hermes";
import type { Jupiter } from "./jupiter";
import { createMintPrices } from "./mint-prices";
import { trackUpstream } from "./upstream-time";

export interface PriceFeedOptions {
  jupiter: Pick<Jupiter, "prices">;
  /** The second source; without it the first is taken at its word. */
  hermes?: Hermes;
  clock: Clock;
}

/** Prices are given out for this long before the sources are asked again. */
const PRICE_TTL_MS = 30_000;
/** Sooner while the sources disagree, since nothing can be built meanwhile. */
const DISAGREEING_TTL_MS = 5_000;
/** While the source fails, older prices still serve for reading up to this age. */
const PRICE_MAX_STALE_MS = 300_000;
/** After a failed refresh nobody asks the source for this long. */
const RETRY_PAUSE_MS = 2_000;

const REFERENCE_MAX_AGE_MS = 60_000;
const REFERENCE_MAX_UNCERTAINTY = 0.01;
const MAX_DIFFERENCE = 0.02;
const MAX_STABLE_DIFFERENCE = 0.01;
const STABLES: ReadonlySet<AssetSymbol> = new Set(["USDC", "USDT"]);

/**
 * Prices of the assets from Jupiter, compared with Pyth where configured. One refresh is in flight at a time; when it
 * fails, its callers and those of the next RETRY_PAUSE_MS get the last prices while those are no older than
 * PRICE_MAX_STALE_MS, and after that price_stale (or the source's own error if there never was a price).
 */
export function createPriceFeed({ jupiter, hermes, clock }: PriceFeedOptions): PriceFeed {
  let last: Prices | null = null;
  let failure: { error: unknown; at: number } | null = null;
  let refreshing: Promise<Prices> | null = null;

  const refresh = async (): Promise<Prices> => {
    try {
      last = await readPrices({ jupiter, hermes, clock });
      failure = null;
      return last;
    } catch (error) {
      failure = { error, at: clock.now() };
      throw error;
    } finally {
      refreshing = null;
    }
  };

  const withoutSource = (error: unknown): Prices => {
    if (last && clock.now() - last.fetchedAt <= PRICE_MAX_STALE_MS) return last;
    if (!last) throw error;
    throw new AppError("price_stale", { retryAfterSeconds: RETRY_PAUSE_MS / 1000, cause: error });
  };

  return {
    async current() {
      const now = clock.now();
      if (last && now - last.fetchedAt < (last.agreed ? PRICE_TTL_MS : DISAGREEING_TTL_MS)) return last;
      if (failure && now - failure.at < RETRY_PAUSE_MS) return withoutSource(failure.error);
      refreshing ??= refresh();
      return trackUpstream(refreshing).catch(withoutSource);
    },
    ofMints: createMintPrices({ jupiter, clock }),
  };
}

async function readPrices({ jupiter, hermes, clock }: PriceFeedOptions): Promise<Prices> {
  // Counted from before the call: a price can only be younger than its stated age.
  const fetchedAt = clock.now();
  const [priced, reference] = await Promise.all([
    jupiter.prices(ASSET_SYMBOLS.map((symbol) => ASSETS[symbol].mint)),
    hermes?.prices().catch(() => null),
  ]);
  const entries = ASSET_SYMBOLS.map((symbol): [AssetSymbol, number] => {
    const usd = priced[ASSETS[symbol].mint]?.usd;
    if (usd === undefined || !Number.isFinite(usd) || usd <= 0) {
      throw new AppError("upstream_invalid", { cause: new Error(`no price for ${symbol}`) });
    }
    return [symbol, usd];
  });
  const usd = Object.fromEntries(entries) as Record<AssetSymbol, number>;
  if (!hermes) return { usd, fetchedAt, source: "jupiter", agreed: true };
  if (!reference) return { usd, fetchedAt, source: "jupiter", agreed: false };
  const agreed = ASSET_SYMBOLS.every((symbol) => agrees(symbol, usd[symbol], reference[symbol], clock.now()));
  return { usd, fetchedAt, source: "jupiter+pyth", agreed };
}

/** Whether the reference is usable, recent and certain enough, and close to the price. */
function agrees(symbol: AssetSymbol, usd: number, reference: ReferencePrice, now: number): boolean {
  const usable = Number.isFinite(reference.usd) && reference.usd > 0 && reference.confidenceUsd >= 0;
  const recent = Math.abs(now - reference.publishedAt) <= REFERENCE_MAX_AGE_MS;
  const certain = reference.confidenceUsd / reference.usd <= REFERENCE_MAX_UNCERTAINTY;
  const allowed = STABLES.has(symbol) ? MAX_STABLE_DIFFERENCE : MAX_DIFFERENCE;
  return usable && recent && certain && Math.abs(usd - reference.usd) / reference.usd <= allowed;
}
