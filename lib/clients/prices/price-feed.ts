/**
 * This folder supplies prices: the sources (Jupiter, Pyth Hermes), their checks against each other, and the daily
 * history in the store. The rules of what makes a price plausible are in `lib/domain/prices`; this folder only
 * applies them. Quotes for a swap belong in `lib/clients/jupiter`.
 */
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../domain/assets";
import { computeAgeMs } from "../../domain/prices/age";
import { isWithin, type PriceBounds } from "../../domain/prices/price-bounds";
import { checkPrice, NO_MEMORY, type PriceDoubt, type PriceMemory } from "../../domain/prices/price-check";
import type { Prices } from "../../domain/prices/prices";
import { AppError, createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { PriceFeed } from "../../ports/prices";
import type { Jupiter } from "../jupiter/jupiter";
import { PRICES } from "../quota/budget";
import type { CallerScoped } from "../quota/caller-scoped";
import { ignoreOutage } from "../store/store-failure";
import type { Hermes } from "./hermes";
import { createMintPrices } from "./mint-prices";
import { createSecondSource, type References } from "./second-source";
import type { createSharedPrices } from "./shared-prices";

export interface PriceFeedOptions {
  jupiter: CallerScoped<Pick<Jupiter, "readPrices">>;
  /** The second source. Absent: prices are checked only against their own past. */
  hermes?: Hermes;
  /** Keeps the last good prices. */
  kv: Pick<KvStore, "get" | "set">;
  bounds: PriceBounds;
  clock: Clock;
  /** Receives messages for the operator, which go to the log. */
  notice: (text: string) => void;
  /** The name of the first source in results. */
  source?: "jupiter" | "sandbox";
  /** Called with every new reading of the sources. */
  onRead?: (prices: Prices) => void;
  /** Shares readings with other instances. Absent: this instance is the only one. */
  share?: ReturnType<typeof createSharedPrices>;
}

/** How long prices are served before the sources are read again, ms. */
const PRICE_TTL_MS = 30_000;
/** The same while the sources disagree on SOL, when builds are refused, ms. */
const DISAGREEING_TTL_MS = 5_000;
/** While the source fails, prices up to this age are still served for reading, ms. */
const PRICE_MAX_STALE_MS = 300_000;
/**
 * The longest wait for a refresh while the last prices are younger than `youngMs`, in ms. It limits the cost of a
 * source that hangs.
 */
const PATIENCE = { waitMs: 2_000, youngMs: 60_000 };
/** The pause after a failed refresh, ms. */
const RETRY_PAUSE_MS = 2_000;

/**
 * Creates the price feed of the assets. Each price from Jupiter must be within its bounds. It is checked against
 * Pyth, where configured, and against its own last good price.
 *
 * One refresh is in flight at a time. When it fails, its callers and those of the next RETRY_PAUSE_MS get the last
 * prices, up to an age of PRICE_MAX_STALE_MS. After that they get price_stale, or the source's own error when there
 * never was a price.
 */
export function createPriceFeed(options: PriceFeedOptions): CallerScoped<PriceFeed> {
  const { jupiter, hermes, kv, clock, bounds, source = "jupiter", onRead, share } = options;
  const memory = createPriceMemory(kv);
  const readReferences = createSecondSource(options);
  let lastPrices: Prices | null = null;
  let failure: { error: unknown; at: number } | null = null;
  let refreshing: Promise<Prices> | null = null;

  const readSources = async (): Promise<Prices> => {
    // Taken before the call, so that the stated age is never less than the true one.
    const fetchedAt = clock.now();
    const [usd, references, known] = await Promise.all([readUsd(options), readReferences(), memory.read()]);
    const { prices, next } = checkAll(usd, references, known ?? {}, { fetchedAt, source });
    if (known) await memory.write(next);
    const checkedPrices = known || references.state === "answers" ? prices : { ...prices, doubts: UNCHECKED };
    onRead?.(checkedPrices);
    return checkedPrices;
  };

  /** A reading of another instance must be newer, still fresh, within the bounds, and checked by the same sources. */
  const isUsable = (prices: Prices) =>
    prices.fetchedAt > (lastPrices?.fetchedAt ?? 0) &&
    computeAgeMs(prices.fetchedAt, clock.now()) < chooseTtl(prices) &&
    ASSET_SYMBOLS.every((symbol) => prices.usd[symbol] === undefined || isWithin(prices.usd[symbol], bounds[symbol])) &&
    (prices.secondSource !== null) === (hermes !== undefined);

  const refresh = async (): Promise<Prices> => {
    try {
      lastPrices = await (share ? share(readSources, isUsable) : readSources());
      failure = null;
      return lastPrices;
    } catch (error) {
      lastPrices ??= toPrices(await memory.read(), source);
      failure = { error, at: clock.now() };
      throw error;
    } finally {
      refreshing = null;
    }
  };

  const isYoung = (maxAgeMs: number) =>
    lastPrices !== null && computeAgeMs(lastPrices.fetchedAt, clock.now()) <= maxAgeMs;
  /** Returns the last prices after a failed refresh. @throws AppError price_stale, or `error` without any prices */
  const serveWithoutSource = (error: unknown): Prices => {
    if (isYoung(PRICE_MAX_STALE_MS)) return lastPrices!;
    if (!lastPrices) throw error;
    throw new AppError("price_stale", { retryAfterSeconds: RETRY_PAUSE_MS / 1000, cause: error });
  };

  const startRefresh = (): Promise<Prices> => {
    const refreshed = refresh().catch(serveWithoutSource);
    const limited = clock.sleep(PATIENCE.waitMs).then(() => (isYoung(PATIENCE.youngMs) ? lastPrices! : refreshed));
    return Promise.race([refreshed, limited]);
  };

  return {
    async readCurrent() {
      const now = clock.now();
      if (lastPrices && computeAgeMs(lastPrices.fetchedAt, now) < chooseTtl(lastPrices)) return lastPrices;
      if (failure && computeAgeMs(failure.at, now) < RETRY_PAUSE_MS) return serveWithoutSource(failure.error);
      refreshing ??= startRefresh();
      return refreshing;
    },
    readMints: createMintPrices({ jupiter, clock }),
  };
}

/** Used when the last good prices are unknown, so that a jump cannot be detected. */
const UNCHECKED = Object.fromEntries(ASSET_SYMBOLS.map((symbol) => [symbol, "unchecked" as const]));

/** Returns how long prices are served. A jump does not shorten the time, because only time confirms a jump. */
function chooseTtl({ doubts }: Prices): number {
  return doubts.SOL === undefined || doubts.SOL === "jumped" ? PRICE_TTL_MS : DISAGREEING_TTL_MS;
}

/**
 * @throws AppError upstream_*; upstream_invalid when SOL has no price within its bounds, because all values are
 * computed in SOL
 */
async function readUsd({ jupiter, bounds }: PriceFeedOptions): Promise<Prices["usd"]> {
  const priced = await jupiter.readPrices(
    PRICES,
    ASSET_SYMBOLS.map((symbol) => ASSETS[symbol].mint),
  );
  const usablePrices = ASSET_SYMBOLS.flatMap((symbol): [AssetSymbol, number][] => {
    const usd = priced[ASSETS[symbol].mint]?.usd;
    return usd !== undefined && isWithin(usd, bounds[symbol]) ? [[symbol, usd]] : [];
  });
  const usd: Partial<Prices["usd"]> = Object.fromEntries(usablePrices);
  if (usd.SOL === undefined) {
    throw createUpstreamError("upstream_invalid", "jupiter", "returned no price of SOL within its bounds");
  }
  return { ...usd, SOL: usd.SOL };
}

/** Checks all prices. @returns the prices with their doubts, and the memory for the next check */
function checkAll(
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
    const verdict = checkPrice(symbol, price, references.findReference(symbol), known[symbol] ?? NO_MEMORY, fetchedAt);
    next[symbol] = verdict.memory;
    if (verdict.doubt !== null) doubts[symbol] = verdict.doubt;
  }
  const source = references.state === "answers" ? `${first}+pyth` : first;
  return { prices: { usd, fetchedAt, source, doubts, secondSource: references.state }, next };
}

/** Returns the last good prices from before a restart: SOL's price and those that were read together with it. */
function toPrices(memory: PricesMemory | null, source: string): Prices | null {
  const sol = memory?.SOL?.good;
  if (!sol) return null;
  const pricesOfReading = Object.entries(memory).flatMap(([symbol, { good }]) =>
    good?.at === sol.at ? [[symbol, good.usd] as const] : [],
  );
  return {
    usd: { ...(Object.fromEntries(pricesOfReading) as Partial<Prices["usd"]>), SOL: sol.usd },
    fetchedAt: sol.at,
    source,
    doubts: {},
    secondSource: null,
  };
}

/** The memory of the price checks from one reading to the next, by asset. */
type PricesMemory = Partial<Record<AssetSymbol, PriceMemory>>;

const MEMORY_KEY = "price-memory";

/**
 * Keeps the memory in the store, so that instances share it and it survives a restart. While the store does not
 * answer, the value that this process last read or wrote is used.
 */
function createPriceMemory(kv: Pick<KvStore, "get" | "set">) {
  let known: PricesMemory | null = null;
  return {
    /** Returns null when the memory is unknown, because the store has not answered this process yet. */
    async read(): Promise<PricesMemory | null> {
      const stored = await kv
        .get<PricesMemory>(MEMORY_KEY)
        .then((value) => value ?? known ?? {})
        .catch(ignoreOutage);
      known = stored ?? known;
      return known;
    },
    async write(memory: PricesMemory): Promise<void> {
      known = memory;
      await kv.set(MEMORY_KEY, memory).catch(ignoreOutage);
    },
  };
}
