import { ASSET_SYMBOLS, type AssetSymbol } from "../../domain/assets";
import { DEFAULT_PRICE_BOUNDS, isWithin } from "../../domain/prices/price-bounds";
import type { ConfirmedPrice } from "../../domain/prices/price-drift";
import { DAY_MS } from "../../domain/prices/price-history";
import type { Storage } from "../world";

/** US dollars for one coin. */
export type AssetPrices = Partial<Record<AssetSymbol, number>>;

type Confirmed = Partial<Record<AssetSymbol, ConfirmedPrice[]>>;

/** A longer text is ignored: five assets with MOST entries take some 6 kB. */
const MOST_CHARACTERS = 16_384;
const MOST = 32;
/** The last moment that a Date can hold. Source: ECMAScript, time range. */
const LAST_MS = 8_640_000_000_000_000;
/** Prices that are confirmed within an hour of each other are kept once, so that a day has 24 at most. */
const APART_MS = 3_600_000;

/** The prices that this client has confirmed, newest last. */
interface PriceMemory {
  read(): Promise<Confirmed>;
  /** Adds prices that moved no more than allowed. */
  add(prices: AssetPrices, now: number): Promise<void>;
  /** Forgets what was confirmed before: a person or a second source vouches for these. */
  replace(prices: AssetPrices, now: number): Promise<void>;
}

/** @param network sandbox prices are no measure of real ones */
export function priceMemory(storage: Storage, network: string): PriceMemory {
  const key = `roundup-prices:${network}`;
  const read = async () => parseConfirmed(await storage.get(key));
  const change = async (prices: AssetPrices, next: (before: ConfirmedPrice[], usd: number) => ConfirmedPrice[]) => {
    const confirmed = await read();
    for (const [asset, usd] of entriesOf(prices)) confirmed[asset] = next(confirmed[asset] ?? [], usd);
    await storage.set(key, JSON.stringify(confirmed));
  };
  return {
    read,
    add: (prices, now) => change(prices, (before, usd) => added(before, { usd, at: now })),
    replace: (prices, now) => change(prices, (_before, usd) => [{ usd, at: now }]),
  };
}

export const entriesOf = (prices: AssetPrices) =>
  ASSET_SYMBOLS.flatMap((asset): [AssetSymbol, number][] => {
    const usd = prices[asset];
    return usd === undefined ? [] : [[asset, usd]];
  });

function added(before: ConfirmedPrice[], price: ConfirmedPrice): ConfirmedPrice[] {
  const ofLastDay = before.filter(({ at }) => at > price.at - DAY_MS && at <= price.at);
  const newest = ofLastDay.at(-1);
  return newest && newest.at > price.at - APART_MS ? ofLastDay : [...ofLastDay, price];
}

/** Parses stored text, which may be damaged or hostile. Drops the list of an asset unless every entry is valid. */
export function parseConfirmed(text: string | null): Confirmed {
  if (text === null || text.length > MOST_CHARACTERS) return {};
  let stored: Record<string, unknown>;
  try {
    stored = Object(JSON.parse(text));
  } catch {
    return {};
  }
  const lists = ASSET_SYMBOLS.flatMap((asset): [AssetSymbol, ConfirmedPrice[]][] => {
    const list = Object.hasOwn(stored, asset) ? stored[asset] : null;
    if (!Array.isArray(list) || list.length > MOST || !list.every((one) => isConfirmed(asset, one))) return [];
    return [[asset, list.map(({ usd, at }) => ({ usd, at }))]];
  });
  return Object.fromEntries(lists);
}

function isConfirmed(asset: AssetSymbol, stored: unknown): stored is ConfirmedPrice {
  const { usd, at } = Object(stored);
  const isPrice = typeof usd === "number" && isWithin(usd, DEFAULT_PRICE_BOUNDS[asset]);
  return isPrice && Number.isSafeInteger(at) && at >= 0 && at <= LAST_MS;
}
