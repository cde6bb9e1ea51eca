import { ASSET_SYMBOLS, type AssetSymbol } from "../../domain/assets";
import { DEFAULT_PRICE_BOUNDS, isWithinBound } from "../../domain/prices/price-bounds";
import type { ConfirmedPrice } from "../../domain/prices/price-drift";
import { DAY_MS } from "../../domain/time";
import type { Storage } from "../platform";

/** US dollars for one coin. */
export type AssetPrices = Partial<Record<AssetSymbol, number>>;

type ConfirmedPrices = Partial<Record<AssetSymbol, ConfirmedPrice[]>>;

/** Longer stored texts are ignored. MAX_ENTRIES entries of every asset take about 6 kB. */
const MAX_STORED_LENGTH = 16_384;
/** Longer lists of one asset are ignored. A client stores at most 24 entries. */
const MAX_ENTRIES = 32;
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

/** Returns the assets that have a price, each with its price. */
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

/** Parses stored text, which may be damaged or hostile. Drops the list of an asset unless every entry is valid. */
export function parseConfirmedPrices(text: string | null): ConfirmedPrices {
  if (text === null || text.length > MAX_STORED_LENGTH) return {};
  let stored: Record<string, unknown>;
  try {
    stored = Object(JSON.parse(text));
  } catch {
    return {};
  }
  const validLists = ASSET_SYMBOLS.flatMap((asset): [AssetSymbol, ConfirmedPrice[]][] => {
    const entries = Object.hasOwn(stored, asset) ? stored[asset] : null;
    if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) return [];
    const areAllValid = entries.every((entry) => isConfirmedPrice(asset, entry));
    return areAllValid ? [[asset, entries.map(({ usd, at }) => ({ usd, at }))]] : [];
  });
  return Object.fromEntries(validLists);
}

function isConfirmedPrice(asset: AssetSymbol, entry: unknown): entry is ConfirmedPrice {
  const { usd, at } = Object(entry);
  const isPlausible = typeof usd === "number" && isWithinBound(usd, DEFAULT_PRICE_BOUNDS[asset]);
  return isPlausible && Number.isSafeInteger(at) && at >= 0 && at <= MAX_TIME_MS;
}
