/**
 * This folder supplies prices: the sources, their checks against each other, and the daily history. The rules of what
 * makes a price plausible are in `lib/domain/prices`. Quotes for a swap belong in `lib/clients/jupiter`.
 */
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol, isDollarMint } from "../../domain/assets";
import { computeAgeMs } from "../../domain/prices/age";
import { isWithinBound, type PriceBounds } from "../../domain/prices/price-bounds";
import {
  checkPrice,
  isSoundReference,
  NO_MEMORY,
  type PriceDoubt,
  type PriceMemory,
} from "../../domain/prices/price-check";
import type { Prices } from "../../domain/prices/prices";
import { STORE_KEYS } from "../../domain/store-keys";
import { AppError, createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { PriceFeed } from "../../ports/prices";
import type { Jupiter } from "../jupiter/jupiter";
import { type QuotaPort, SERVICE_ITSELF } from "../quota/quota-port";
import { ignoreOutage } from "../store/store-failure";
import { createSecondSource, type Hermes, type ReferencePrices } from "./hermes";
import { createMintPrices } from "./mint-prices";
import type { createSharedPriceReader } from "./shared-prices";

export interface PriceFeedOptions {
  jupiter: QuotaPort<Pick<Jupiter, "readPrices">>;
  /** The second source. Absent: prices are checked only against their own past. */
  hermes?: Hermes;
  kv: Pick<KvStore, "get" | "set">;
  bounds: PriceBounds;
  clock: Clock;
  notify: (text: string) => void;
  /** The name of the first source in results; "jupiter" when absent. */
  source?: "jupiter" | "sandbox";
  onRead?: (prices: Prices) => void;
  /** Shares readings with other instances. Absent: this instance is the only one. */
  shareReading?: ReturnType<typeof createSharedPriceReader>;
}

const PRICE_TTL_MS = 30_000;
/** How long prices are served while the sources disagree on SOL, ms. Builds are refused during that time. */
const DISAGREEING_TTL_MS = 5_000;
/** While the source fails, prices up to this age are still served for reading, ms. */
const PRICE_MAX_STALE_MS = 300_000;
/** How long a refresh may take before callers get the last prices, if these are younger than `maxAgeMs`. */
const REFRESH_WAIT = { waitMs: 2_000, maxAgeMs: 60_000 };
const RETRY_PAUSE_MS = 2_000;

/**
 * Creates the price feed of the assets. Each price from Jupiter must be within its bounds. It is then checked against
 * Pyth, where configured, and against its own last good price.
 *
 * When a refresh fails, its callers and those of the next RETRY_PAUSE_MS get the last prices, up to an age of
 * PRICE_MAX_STALE_MS. After that they get price_stale, or the source's own error when there never was a price.
 */
export function createPriceFeed(options: PriceFeedOptions): QuotaPort<PriceFeed> {
  const { jupiter, hermes, kv, clock, notify, bounds, source = "jupiter", onRead, shareReading } = options;
  const memory = createPriceMemory(kv);
  const readReferences = hermes ? createSecondSource(hermes, clock, notify) : async () => NO_REFERENCES;
  let lastPrices: Prices | null = null;
  let failure: { error: unknown; failedAt: number } | null = null;
  let refreshInFlight: Promise<Prices> | null = null;

  const readSources = async (): Promise<Prices> => {
    // Taken before the call, so that the stated age is never less than the true one.
    const fetchedAt = clock.now();
    const [usd, references, knownMemory] = await Promise.all([readPricesUsd(options), readReferences(), memory.read()]);
    const { prices, nextMemory } = checkPrices(usd, references, knownMemory ?? {}, { fetchedAt, source });
    if (knownMemory) await memory.write(nextMemory);
    const checkedPrices =
      knownMemory || references.state === "answers" ? prices : { ...prices, doubts: UNCHECKED_DOUBTS };
    onRead?.(checkedPrices);
    return checkedPrices;
  };

  /** Returns whether another instance's reading is newer, still fresh, within the bounds and from the same sources. */
  const isUsable = (prices: Prices) =>
    prices.fetchedAt > (lastPrices?.fetchedAt ?? 0) &&
    computeAgeMs(prices.fetchedAt, clock.now()) < chooseTtl(prices) &&
    ASSET_SYMBOLS.every(
      (symbol) => prices.usd[symbol] === undefined || isWithinBound(prices.usd[symbol], bounds[symbol]),
    ) &&
    (prices.secondSource !== null) === (hermes !== undefined);

  const refreshPrices = async (): Promise<Prices> => {
    try {
      lastPrices = await (shareReading ? shareReading(readSources, isUsable) : readSources());
      failure = null;
      return lastPrices;
    } catch (error) {
      lastPrices ??= toLastGoodPrices(await memory.read(), source);
      failure = { error, failedAt: clock.now() };
      throw error;
    } finally {
      refreshInFlight = null;
    }
  };

  const hasPricesYoungerThan = (maxAgeMs: number) =>
    lastPrices !== null && computeAgeMs(lastPrices.fetchedAt, clock.now()) <= maxAgeMs;
  /** Returns the last prices after a failed refresh. @throws AppError price_stale, or `error` without any prices */
  const serveWithoutSource = (error: unknown): Prices => {
    if (hasPricesYoungerThan(PRICE_MAX_STALE_MS)) return lastPrices!;
    if (!lastPrices) throw error;
    throw new AppError("price_stale", { retryAfterSeconds: RETRY_PAUSE_MS / 1000, cause: error });
  };

  const startRefresh = (): Promise<Prices> => {
    const refreshResult = refreshPrices().catch(serveWithoutSource);
    const resultOrLastPrices = clock
      .sleep(REFRESH_WAIT.waitMs)
      .then(() => (hasPricesYoungerThan(REFRESH_WAIT.maxAgeMs) ? lastPrices! : refreshResult));
    return Promise.race([refreshResult, resultOrLastPrices]);
  };

  return {
    async readCurrent() {
      const now = clock.now();
      if (lastPrices && computeAgeMs(lastPrices.fetchedAt, now) < chooseTtl(lastPrices)) return lastPrices;
      if (failure && computeAgeMs(failure.failedAt, now) < RETRY_PAUSE_MS) return serveWithoutSource(failure.error);
      refreshInFlight ??= startRefresh();
      return refreshInFlight;
    },
    readMintPrices: createMintPrices({ jupiter, clock }),
  };
}

const NO_REFERENCES: ReferencePrices = { findReference: () => ({ kind: "none" }), state: null };

/** Used when the last good prices are unknown, so that a jump cannot be detected. */
const UNCHECKED_DOUBTS = Object.fromEntries(ASSET_SYMBOLS.map((symbol) => [symbol, "unchecked" as const]));

/** Returns how long prices are served. A jump does not shorten the time, because only time confirms a jump. */
function chooseTtl({ doubts }: Prices): number {
  return doubts.SOL === undefined || doubts.SOL === "jumped" ? PRICE_TTL_MS : DISAGREEING_TTL_MS;
}

/**
 * @throws AppError upstream_*; upstream_invalid when SOL has no price within its bounds: all values are computed in SOL
 */
async function readPricesUsd({ jupiter, bounds }: PriceFeedOptions): Promise<Prices["usd"]> {
  const prices = await jupiter.readPrices(
    SERVICE_ITSELF,
    ASSET_SYMBOLS.map((symbol) => ASSETS[symbol].mint),
  );
  const usablePrices = ASSET_SYMBOLS.flatMap((symbol): [AssetSymbol, number][] => {
    const usd = prices[ASSETS[symbol].mint]?.usd;
    return usd !== undefined && isWithinBound(usd, bounds[symbol]) ? [[symbol, usd]] : [];
  });
  const usd: Partial<Prices["usd"]> = Object.fromEntries(usablePrices);
  if (usd.SOL === undefined) {
    throw createUpstreamError("upstream_invalid", "jupiter", "returned no price of SOL within its bounds");
  }
  return { ...usd, SOL: usd.SOL };
}

/** Checks all prices. @returns the prices with their doubts, and the memory for the next check */
function checkPrices(
  usd: Prices["usd"],
  references: ReferencePrices,
  knownMemory: PricesMemory,
  { fetchedAt, source: firstSource }: Pick<Prices, "fetchedAt" | "source">,
): { prices: Prices; nextMemory: PricesMemory } {
  const nextMemory: PricesMemory = { ...knownMemory };
  const doubts: Partial<Record<AssetSymbol, PriceDoubt>> = {};
  const referenceUsd: Partial<Record<AssetSymbol, number>> = {};
  for (const symbol of ASSET_SYMBOLS) {
    const price = usd[symbol];
    if (price === undefined) continue;
    const memory = knownMemory[symbol] ?? NO_MEMORY;
    const reference = references.findReference(symbol);
    if (
      isDollarMint(ASSETS[symbol].mint) &&
      reference.kind === "answered" &&
      isSoundReference(reference.price, fetchedAt)
    )
      referenceUsd[symbol] = reference.price.usd;
    const verdict = checkPrice(symbol, price, reference, memory, fetchedAt);
    nextMemory[symbol] = verdict.memory;
    if (verdict.doubt !== null) doubts[symbol] = verdict.doubt;
  }
  const source = references.state === "answers" ? `${firstSource}+pyth` : firstSource;
  const prices: Prices = { usd, fetchedAt, source, doubts, secondSource: references.state };
  return { prices: references.state === null ? prices : { ...prices, referenceUsd }, nextMemory };
}

/** Returns the last good prices from before a restart: SOL's price and those that were read together with it. */
function toLastGoodPrices(memory: PricesMemory | null, source: string): Prices | null {
  const lastGoodSol = memory?.SOL?.good;
  if (!lastGoodSol) return null;
  const pricesOfReading = Object.entries(memory).flatMap(([symbol, { good }]) =>
    good?.at === lastGoodSol.at ? [[symbol, good.usd] as const] : [],
  );
  return {
    usd: { ...(Object.fromEntries(pricesOfReading) as Partial<Prices["usd"]>), SOL: lastGoodSol.usd },
    fetchedAt: lastGoodSol.at,
    source,
    doubts: {},
    secondSource: null,
  };
}

/** The memory of the price checks from one reading to the next, by asset. */
type PricesMemory = Partial<Record<AssetSymbol, PriceMemory>>;

const MEMORY_KEY = STORE_KEYS.priceMemory.toKey();

/** Keeps the memory in the store, so that instances share it and it survives a restart. */
function createPriceMemory(kv: Pick<KvStore, "get" | "set">) {
  let lastMemory: PricesMemory | null = null;
  return {
    /** Returns null when the memory is unknown, because the store has not answered this process yet. */
    async read(): Promise<PricesMemory | null> {
      const storedMemory = await kv
        .get<PricesMemory>(MEMORY_KEY)
        .then((value) => value ?? lastMemory ?? {})
        .catch(ignoreOutage);
      lastMemory = storedMemory ?? lastMemory;
      return lastMemory;
    },
    async write(memory: PricesMemory): Promise<void> {
      lastMemory = memory;
      await kv.set(MEMORY_KEY, memory).catch(ignoreOutage);
    },
  };
}
