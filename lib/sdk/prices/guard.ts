import { ASSET_SYMBOLS, type AssetSymbol } from "../../domain/assets";
import { formatExactUsd } from "../../domain/money";
import { DEFAULT_PRICE_BOUNDS, isWithinBound } from "../../domain/prices/price-bounds";
import { matchesReference, type ReferencePrice } from "../../domain/prices/price-check";
import { type ConfirmedPrice, formatConfirmedAt, isWithinDrift, pickBaseline } from "../../domain/prices/price-drift";
import { DAY_MS } from "../../domain/time";
import type { Clock, Storage } from "../platform";

/** A price source that is independent of the service. */
export interface PriceSource {
  /** The maximum age of a price, in milliseconds. Older prices are ignored. */
  maxAgeMs: number;
  /** Returns the prices that the source has, without the others. It may throw. */
  readPrices(assets: readonly AssetSymbol[]): Promise<Partial<Record<AssetSymbol, ReferencePrice>>>;
}

/** A service price that needs confirmation before the SDK signs anything that depends on it. */
export interface PriceDoubt {
  asset: AssetSymbol;
  usd: number;
  /** The confirmed price used for the comparison; null when there is none. */
  before: ConfirmedPrice | null;
  /** `implausible` prices lie outside this package's fixed bounds. No confirmation can accept them. */
  kind: "moved" | "unconfirmed" | "implausible";
}

/** Asks the user whether these prices are right. A program must not answer for the user. */
export type AcceptPrices = (doubts: readonly PriceDoubt[]) => boolean | Promise<boolean>;

/** Compares the service's prices with the prices that this client has confirmed. */
export interface PriceGuard {
  /**
   * Returns the prices that the user must confirm: a first price out of this package's bounds, and one that moved further
   * than `isWithinDrift` allows. A second source must agree with a first price, and clears a moved one, which is stored.
   */
  listDoubts(prices: AssetPrices): Promise<PriceDoubt[]>;
  /** Stores the prices of an action that is about to be signed. */
  confirm(prices: AssetPrices): Promise<void>;
  /** Stores prices that the user has confirmed. Implausible prices stay in doubt. */
  accept(doubts: readonly PriceDoubt[]): Promise<void>;
  /** Returns the newest confirmed price of each asset. */
  readConfirmed(): Promise<AssetPrices>;
}

/** Creates a price guard. Each network has its own confirmed prices. */
export function createPriceGuard(options: {
  storage: Storage;
  clock: Pick<Clock, "now">;
  network: string;
  source?: PriceSource;
}): PriceGuard {
  const { storage, clock, network, source } = options;
  const priceStore = createPriceStore(storage, network);
  return {
    async listDoubts(prices) {
      const confirmedPrices = await priceStore.readPrices();
      const nowMs = clock.now();
      const doubts = listPriceEntries(prices).flatMap(([asset, usd]) => {
        const before = pickBaseline(confirmedPrices[asset] ?? [], nowMs);
        return findDoubt({ asset, usd, before }, Boolean(source), nowMs) ?? [];
      });
      const clearedDoubts = source ? await findClearedDoubts(source, doubts, nowMs) : [];
      if (clearedDoubts.length > 0) await priceStore.replace(toPrices(clearedDoubts), nowMs);
      return doubts.filter((doubt) => !clearedDoubts.includes(doubt));
    },
    confirm: (prices) => priceStore.add(prices, clock.now()),
    accept: (doubts) => priceStore.replace(toPrices(doubts.filter(({ kind }) => kind !== "implausible")), clock.now()),
    async readConfirmed() {
      const confirmedPrices = Object.entries(await priceStore.readPrices());
      return Object.fromEntries(
        confirmedPrices.flatMap(([asset, prices]) => prices.slice(-1).map(({ usd }) => [asset, usd])),
      );
    },
  };
}

function findDoubt(price: Omit<PriceDoubt, "kind">, hasSource: boolean, nowMs: number): PriceDoubt | null {
  const { asset, usd, before } = price;
  if (!isPlausible(asset, usd)) return { ...price, kind: "implausible" };
  if (before === null) return hasSource ? { ...price, kind: "unconfirmed" } : null;
  return isWithinDrift(usd, before, nowMs) ? null : { ...price, kind: "moved" };
}

const isPlausible = (asset: AssetSymbol, usd: unknown) =>
  typeof usd === "number" && isWithinBound(usd, DEFAULT_PRICE_BOUNDS[asset]);

const toPrices = (doubts: readonly PriceDoubt[]): AssetPrices =>
  Object.fromEntries(doubts.map(({ asset, usd }) => [asset, usd]));

/** Returns the doubts that the second source clears. A source that fails clears none. */
async function findClearedDoubts(source: PriceSource, doubts: PriceDoubt[], nowMs: number): Promise<PriceDoubt[]> {
  const acceptableDoubts = doubts.filter(({ kind }) => kind !== "implausible");
  if (acceptableDoubts.length === 0) return [];
  const references = await source.readPrices(acceptableDoubts.map(({ asset }) => asset)).catch(() => null);
  return acceptableDoubts.filter(({ asset, usd }) => {
    const reference = references?.[asset];
    return reference !== undefined && matchesReference(asset, usd, reference, nowMs, source.maxAgeMs);
  });
}

/** Describes each doubt in a sentence for the user: the two prices, and the missing confirmation. */
export const describeDoubts = (doubts: readonly PriceDoubt[]): string => doubts.map(formatDoubt).join(" ");

function formatDoubt({ asset, usd, before, kind }: PriceDoubt): string {
  const statement = `The service says ${asset} costs ${formatExactUsd(Number(usd))}`;
  if (kind === "implausible") return `${statement}, which is not plausible, so nothing is signed.`;
  if (before === null) return `${statement}. The second source does not confirm it, so nothing is signed.`;
  return `${statement}. It was ${formatExactUsd(Number(before.usd))} when it was confirmed on ${formatConfirmedAt(before)} UTC. Nothing is signed until a person or a second source confirms the new price.`;
}

/** US dollars for one coin. */
export type AssetPrices = Partial<Record<AssetSymbol, number>>;

type ConfirmedPrices = Partial<Record<AssetSymbol, ConfirmedPrice[]>>;

/** The latest time that a Date can represent, in milliseconds. Source: ECMAScript, time range. */
const MAX_TIME_MS = 8_640_000_000_000_000;
/** Minimum time between two stored prices of an asset, ms. It limits a day to 24 entries. */
const MIN_INTERVAL_MS = 3_600_000;

/**
 * Creates the store of the prices that this client has confirmed, newest last.
 * @param network part of the storage key, because sandbox prices must not serve as a baseline for mainnet
 */
export function createPriceStore(storage: Storage, network: string) {
  const key = `roundup-prices:${network}`;
  const readPrices = async () => parseConfirmedPrices(await storage.get(key));
  const update = async (
    newPrices: AssetPrices,
    merge: (storedPrices: ConfirmedPrice[], newUsd: number) => ConfirmedPrice[],
  ) => {
    const confirmedPrices = await readPrices();
    for (const [asset, usd] of listPriceEntries(newPrices))
      confirmedPrices[asset] = merge(confirmedPrices[asset] ?? [], usd);
    await storage.set(key, JSON.stringify(confirmedPrices));
  };
  return {
    readPrices,
    /** Appends prices, which must be within the allowed drift. @param nowMs since the Unix epoch */
    add: (prices: AssetPrices, nowMs: number) =>
      update(prices, (storedPrices, usd) => addPrice(storedPrices, { usd, at: nowMs })),
    /** Replaces all earlier prices, because the user or a second source has confirmed the new ones. */
    replace: (prices: AssetPrices, nowMs: number) => update(prices, (_storedPrices, usd) => [{ usd, at: nowMs }]),
  };
}

export const listPriceEntries = (prices: AssetPrices) =>
  ASSET_SYMBOLS.flatMap((asset): [AssetSymbol, number][] => {
    const usd = prices[asset];
    return usd === undefined ? [] : [[asset, usd]];
  });

/** Appends a price unless the newest one is less than MIN_INTERVAL_MS old. Drops prices older than a day. */
function addPrice(storedPrices: ConfirmedPrice[], price: ConfirmedPrice): ConfirmedPrice[] {
  const lastDay = storedPrices.filter(({ at }) => at > price.at - DAY_MS && at <= price.at);
  const newest = lastDay.at(-1);
  return newest && newest.at > price.at - MIN_INTERVAL_MS ? lastDay : [...lastDay, price];
}

/** Parses stored text, which may be damaged. Drops the list of an asset unless every entry is valid. */
export function parseConfirmedPrices(text: string | null): ConfirmedPrices {
  let stored: Record<string, unknown>;
  try {
    stored = Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
  const validLists = ASSET_SYMBOLS.flatMap((asset): [AssetSymbol, ConfirmedPrice[]][] => {
    const entries = Object.hasOwn(stored, asset) ? stored[asset] : null;
    if (!Array.isArray(entries) || !entries.every((entry) => isConfirmedPrice(asset, entry))) return [];
    return [[asset, entries.map(({ usd, at }) => ({ usd, at }))]];
  });
  return Object.fromEntries(validLists);
}

function isConfirmedPrice(asset: AssetSymbol, entry: unknown): entry is ConfirmedPrice {
  const { usd, at } = Object(entry);
  return isPlausible(asset, usd) && Number.isSafeInteger(at) && at >= 0 && at <= MAX_TIME_MS;
}
