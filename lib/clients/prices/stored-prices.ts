import { ASSET_SYMBOLS } from "../../domain/assets";
import type { PriceBounds } from "../../domain/prices/price-bounds";
import { DAY_MS, type DayPrices, toDay } from "../../domain/prices/price-history";
import { isSound, type Prices } from "../../domain/prices/prices";
import type { Background } from "../../ports/background";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { PriceHistory } from "../../ports/prices";
import type { Hermes } from "./hermes";
import { createPriceFill } from "./price-fill";
import { createPriceHistory } from "./price-history";

interface StoredPricesOptions {
  kv: Pick<KvStore, "getMany" | "setIfAbsent">;
  clock: Clock;
  background: Background;
  /** Supplies days before the first reading here. Absent: those days stay unknown. */
  hermes?: Pick<Hermes, "readPricesAt">;
  bounds: PriceBounds;
}

interface StoredPrices extends PriceHistory {
  /**
   * Takes every reading: stores the first sound one of each day, and fills earlier days. Never waits, never throws.
   */
  recordPrices(prices: Prices): void;
}

/**
 * A day without any price at the source is requested again after this time, ms. A wrong setting is fixed by then.
 */
const EMPTY_DAY_TTL_MS = 30 * DAY_MS;

/** Returns the store's key of a day: `prices-of:2026-11-21` */
const toKey = (day: number) => `prices-of:${new Date(day * DAY_MS).toISOString().slice(0, 10)}`;

/**
 * Creates the store of daily prices, which every instance shares. The first process to read a day's prices writes
 * them, once.
 */
export function createStoredPrices(options: StoredPricesOptions): StoredPrices {
  const { kv, clock, background, hermes } = options;
  const read = async (first: number, last: number) => {
    const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const records = await kv.getMany<DayPrices>(days.map(toKey));
    return days.map((day, i) => ({ day, prices: records[i] ?? null }));
  };
  const listMissingDays = async (first: number, last: number) =>
    (await read(first, last)).flatMap(({ day, prices }) => (prices ? [] : [day])).reverse();
  const load = async (first: number, last: number) => (await read(first, last)).flatMap(({ prices }) => prices ?? []);
  const { forget, ...history } = createPriceHistory({ clock, load });
  const write = async (prices: DayPrices) => {
    const day = toDay(prices.time);
    const ttlMs = Object.keys(prices.usd).length > 0 ? undefined : EMPTY_DAY_TTL_MS;
    if (await kv.setIfAbsent(toKey(day), prices, ttlMs)) forget(day);
  };
  const fill = hermes ? createPriceFill({ ...options, hermes, listMissingDays, write }) : () => {};
  /** The time of the last reading that was passed to the store. */
  let lastFetchedAt: number | null = null;
  let storedDay: number | null = null;

  const storePrices = async ({ usd, fetchedAt, source, doubts }: Prices) => {
    const soundAssets = ASSET_SYMBOLS.filter((asset) => isSound({ usd, doubts }, asset));
    await write({ time: fetchedAt, usd: Object.fromEntries(soundAssets.map((asset) => [asset, usd[asset]!])), source });
    storedDay = toDay(fetchedAt);
  };

  return {
    ...history,
    recordPrices(prices) {
      fill();
      const { fetchedAt } = prices;
      if (fetchedAt === lastFetchedAt || toDay(fetchedAt) === storedDay || !isSound(prices, "SOL")) return;
      lastFetchedAt = fetchedAt;
      // When the store fails, the next reading tries again. The background runner reports bugs.
      background.run("daily-prices", () => storePrices(prices)).catch(() => {});
    },
  };
}
