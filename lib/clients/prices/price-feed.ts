import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../domain/assets";
import { ageMs } from "../../domain/prices/age";
import { isWithin, type PriceBounds } from "../../domain/prices/price-bounds";
import { judgePrice, NO_MEMORY, type PriceDoubt } from "../../domain/prices/price-check";
import type { Prices } from "../../domain/prices/prices";
import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { PriceFeed } from "../../ports/prices";
import type { Jupiter } from "../jupiter/jupiter";
import { PRICES } from "../quota/budget";
import type { CallerScoped } from "../quota/caller-scoped";
import type { Hermes } from "./hermes";
import { createMintPrices } from "./mint-prices";
import { createPriceMemory, type PricesMemory } from "./price-memory";
import { createSecondSource, type References } from "./second-source";

export interface PriceFeedOptions {
  jupiter: CallerScoped<Pick<Jupiter, "prices">>;
  /** The second source; without it the first is held against its own past only. */
  hermes?: Hermes;
  /** Keeps the last good prices. */
  kv: Pick<KvStore, "get" | "set">;
  bounds: PriceBounds;
  clock: Clock;
  /** Told of what an operator should know; goes to the log. */
  notice: (text: string) => void;
  /** Where the first source's prices come from. */
  source?: "jupiter" | "sandbox";
  /** Given every reading. */
  onRead?: (prices: Prices) => void;
}

/** Prices are given out for this long before the sources are asked again. */
const PRICE_TTL_MS = 30_000;
/** Sooner while the sources disagree on SOL, since nothing can be built meanwhile. */
const DISAGREEING_TTL_MS = 5_000;
/** While the source fails, older prices still serve for reading up to this age. */
const PRICE_MAX_STALE_MS = 300_000;
/** So long a refresh is waited for while the last prices are young enough to build with, ms: a source that hangs, the second one too, costs no more. */
const PATIENCE = { waitMs: 2_000, youngMs: 60_000 };
/** After a failed refresh nobody asks the source for this long. */
const RETRY_PAUSE_MS = 2_000;

/**
 * Prices of the assets from Jupiter, each within its bounds and held against Pyth where configured and against its own
 * last good price. One refresh is in flight at a time; when it fails, its callers and those of the next RETRY_PAUSE_MS
 * get the last prices while those are no older than PRICE_MAX_STALE_MS, and after that price_stale (or the source's own
 * error if there never was a price).
 */
export function createPriceFeed(options: PriceFeedOptions): CallerScoped<PriceFeed> {
  const { jupiter, kv, clock, source = "jupiter", onRead } = options;
  const memory = createPriceMemory(kv);
  const readReferences = createSecondSource(options);
  let last: Prices | null = null;
  let failure: { error: unknown; at: number } | null = null;
  let refreshing: Promise<Prices> | null = null;

  const refresh = async (): Promise<Prices> => {
    // Counted from before the call: a price can only be younger than its stated age.
    const fetchedAt = clock.now();
    const kept = memory.read();
    try {
      const [usd, references, known] = await Promise.all([readUsd(options), readReferences(), kept]);
      const { prices, next } = judgeAll(usd, references, known ?? {}, { fetchedAt, source });
      if (known) await memory.write(next);
      last = known || references.state === "answers" ? prices : { ...prices, doubts: UNCHECKED };
      failure = null;
      onRead?.(last);
      return last;
    } catch (error) {
      last ??= pricesOf(await kept, source);
      failure = { error, at: clock.now() };
      throw error;
    } finally {
      refreshing = null;
    }
  };

  const isYoung = (mostMs: number) => last !== null && ageMs(last.fetchedAt, clock.now()) <= mostMs;
  const withoutSource = (error: unknown): Prices => {
    if (isYoung(PRICE_MAX_STALE_MS)) return last!;
    if (!last) throw error;
    throw new AppError("price_stale", { retryAfterSeconds: RETRY_PAUSE_MS / 1000, cause: error });
  };

  const begin = (): Promise<Prices> => {
    const refreshed = refresh().catch(withoutSource);
    const hasty = clock.sleep(PATIENCE.waitMs).then(() => (isYoung(PATIENCE.youngMs) ? last! : refreshed));
    return Promise.race([refreshed, hasty]);
  };

  return {
    async current() {
      const now = clock.now();
      if (last && ageMs(last.fetchedAt, now) < ttlOf(last)) return last;
      if (failure && ageMs(failure.at, now) < RETRY_PAUSE_MS) return withoutSource(failure.error);
      refreshing ??= begin();
      return refreshing;
    },
    ofMints: createMintPrices({ jupiter, clock }),
  };
}

/** Without the last good prices nobody can say whether one has jumped. */
const UNCHECKED = Object.fromEntries(ASSET_SYMBOLS.map((symbol) => [symbol, "unchecked" as const]));

/** A jump is not asked after sooner: it is time that confirms it. */
function ttlOf({ doubts }: Prices): number {
  return doubts.SOL === undefined || doubts.SOL === "jumped" ? PRICE_TTL_MS : DISAGREEING_TTL_MS;
}

/** @throws AppError upstream_*; upstream_invalid when SOL has no price within its bounds: everything is counted in SOL */
async function readUsd({ jupiter, bounds }: PriceFeedOptions): Promise<Prices["usd"]> {
  const priced = await jupiter.prices(
    PRICES,
    ASSET_SYMBOLS.map((symbol) => ASSETS[symbol].mint),
  );
  const usable = ASSET_SYMBOLS.flatMap((symbol): [AssetSymbol, number][] => {
    const usd = priced[ASSETS[symbol].mint]?.usd;
    return usd !== undefined && isWithin(usd, bounds[symbol]) ? [[symbol, usd]] : [];
  });
  const usd: Partial<Prices["usd"]> = Object.fromEntries(usable);
  if (usd.SOL === undefined) {
    throw new AppError("upstream_invalid", {
      cause: new UpstreamFault("jupiter", "no price of SOL within its bounds"),
    });
  }
  return { ...usd, SOL: usd.SOL };
}

function judgeAll(
  usd: Prices["usd"],
  references: References,
  known: PricesMemory,
  { fetchedAt, source: first }: Pick<Prices, "fetchedAt" | "source">,
): { prices: Prices; next: PricesMemory } {
  const next: PricesMemory = { ...known };
  const doubts: Partial<Record<AssetSymbol, PriceDoubt>> = {};
  for (const symbol of ASSET_SYMBOLS) {
    const price = usd[symbol];
    if (price === undefined) continue;
    const verdict = judgePrice(symbol, price, references.of(symbol), known[symbol] ?? NO_MEMORY, fetchedAt);
    next[symbol] = verdict.memory;
    if (verdict.doubt !== null) doubts[symbol] = verdict.doubt;
  }
  const source = references.state === "answers" ? `${first}+pyth` : first;
  return { prices: { usd, fetchedAt, source, doubts, secondSource: references.state }, next };
}

/** The last good prices as they were before a restart: those that were read together with SOL's. */
function pricesOf(memory: PricesMemory | null, source: string): Prices | null {
  const sol = memory?.SOL?.good;
  if (!sol) return null;
  const together = Object.entries(memory).flatMap(([symbol, { good }]) =>
    good?.at === sol.at ? [[symbol, good.usd] as const] : [],
  );
  return {
    usd: { ...(Object.fromEntries(together) as Partial<Prices["usd"]>), SOL: sol.usd },
    fetchedAt: sol.at,
    source,
    doubts: {},
    secondSource: null,
  };
}
