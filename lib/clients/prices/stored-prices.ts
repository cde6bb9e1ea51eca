import { ASSET_SYMBOLS } from "../../domain/assets";
import type { PriceBounds } from "../../domain/prices/price-bounds";
import { type DayPrices, toDayNumber } from "../../domain/prices/price-history";
import { hasSoundPrice, type Prices } from "../../domain/prices/prices";
import { STORE_KEYS } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import type { Background } from "../../ports/background";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { Hermes } from "./hermes";
import { createPriceFill } from "./price-fill";
import { createPriceHistory } from "./price-history";

interface StoredPricesOptions {
  kv: Pick<KvStore, "getMany" | "setIfAbsent">;
  clock: Clock;
  background: Background;
  /** Supplies the prices of days that no instance has read. Absent: those days stay unknown. */
  hermes?: Pick<Hermes, "readPricesAt">;
  bounds: PriceBounds;
}

/** A day without any price at the source is requested again after this time, ms. A wrong setting is fixed by then. */
const EMPTY_DAY_TTL_MS = STORE_KEYS.dayPrices.ttlMs;

const toDayKey = (day: number) => STORE_KEYS.dayPrices.toKey(new Date(day * DAY_MS).toISOString().slice(0, 10));

/** Creates the store of daily prices. Instances share it: the first to read a day's prices writes them, once. */
export function createStoredPrices(options: StoredPricesOptions) {
  const { kv, clock, background, hermes } = options;
  const readDays = async (firstDay: number, lastDay: number) => {
    const days = Array.from({ length: lastDay - firstDay + 1 }, (_, i) => firstDay + i);
    const records = await kv.getMany<DayPrices>(days.map(toDayKey));
    return days.map((day, i) => ({ day, prices: records[i] ?? null }));
  };
  const listMissingDays = async (firstDay: number, lastDay: number) =>
    (await readDays(firstDay, lastDay)).flatMap(({ day, prices }) => (prices ? [] : [day])).reverse();
  const loadDays = async (firstDay: number, lastDay: number) =>
    (await readDays(firstDay, lastDay)).flatMap(({ prices }) => prices ?? []);
  const { forgetDay, ...history } = createPriceHistory({ clock, loadDays });
  const writeDay = async (prices: DayPrices) => {
    const day = toDayNumber(prices.time);
    const ttlMs = Object.keys(prices.usd).length > 0 ? undefined : EMPTY_DAY_TTL_MS;
    if (await kv.setIfAbsent(toDayKey(day), prices, ttlMs)) forgetDay(day);
  };
  const startFill = hermes ? createPriceFill({ ...options, hermes, listMissingDays, writeDay }) : () => {};
  /** The time of the last reading that was passed to the store. */
  let lastFetchedAt: number | null = null;
  let lastStoredDay: number | null = null;

  const storePrices = async ({ usd, fetchedAt, source, doubts }: Prices) => {
    const soundAssets = ASSET_SYMBOLS.filter((asset) => hasSoundPrice({ usd, doubts }, asset));
    const soundPrices = Object.fromEntries(soundAssets.map((asset) => [asset, usd[asset]!]));
    await writeDay({ time: fetchedAt, usd: soundPrices, source });
    lastStoredDay = toDayNumber(fetchedAt);
  };

  return {
    ...history,
    /**
     * Stores the reading in the background if it is the first sound one of its day, and starts the fill of earlier
     * days. Call this function with every reading. It never throws.
     */
    recordPrices(prices: Prices): void {
      startFill();
      const { fetchedAt } = prices;
      if (fetchedAt === lastFetchedAt || toDayNumber(fetchedAt) === lastStoredDay || !hasSoundPrice(prices, "SOL"))
        return;
      lastFetchedAt = fetchedAt;
      // When the store fails, the next reading tries again. The background runner reports bugs.
      background.run("daily-prices", () => storePrices(prices)).catch(() => {});
    },
  };
}
