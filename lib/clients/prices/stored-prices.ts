import { ASSET_SYMBOLS } from "../../domain/assets";
import { isWithinBound, type PriceBounds } from "../../domain/prices/price-bounds";
import { REFERENCE_MAX_UNCERTAINTY } from "../../domain/prices/price-check";
import { type DayPrices, MAX_HISTORY_DAYS, toDayNumber } from "../../domain/prices/price-history";
import { hasSoundPrice, type Prices } from "../../domain/prices/prices";
import { STORE_KEYS } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import { AppError } from "../../errors";
import type { Background } from "../../ports/background";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { hasStatus } from "../http/fetch-json";
import type { Hermes } from "./hermes";
import { createPriceHistory } from "./price-history";

interface StoredPricesOptions {
  kv: Pick<KvStore, "getMany" | "setIfAbsent">;
  clock: Clock;
  background: Background;
  /** Supplies the prices of days that no instance has read. Absent: those days stay unknown. */
  hermes?: Pick<Hermes, "readPricesAt">;
  bounds: PriceBounds;
}

/** `ttlMs` is how long one instance has the lease for filling. After that any instance may take it. */
const { toKey: toLeaseKey, ttlMs: LEASE_MS } = STORE_KEYS.dayPricesFill;
/** Days filled per lease. With the pause after each call they take half of the lease, so the work ends within it. */
const DAYS_PER_LEASE = 150;
/** The pause after each call, ms. Pyth allows an address 10 calls in 10 s, and the current prices need some of them. */
const PAUSE_MS = 2_000;
/** After this many failed days, the source is not called again until the next lease. */
const MAX_FAILURES = 3;
/** The status that ends a fill at once: Pyth then refuses all calls of the address for 60 s, current prices too. */
const TOO_MANY_REQUESTS = 429;
/** A price published later than this after a day's beginning is not used as the price of that day, ms. */
const MAX_DELAY_MS = 3_600_000;

const toDayKey = (day: number) => STORE_KEYS.dayPrices.toKey(new Date(day * DAY_MS).toISOString().slice(0, 10));

/** Creates the store of daily prices. Instances share it: the first to read a day's prices writes them, once. */
export function createStoredPrices({ kv, clock, background, hermes, bounds }: StoredPricesOptions) {
  const readDays = async (firstDay: number, lastDay: number) => {
    const days = Array.from({ length: lastDay - firstDay + 1 }, (_, i) => firstDay + i);
    const records = await kv.getMany<DayPrices>(days.map(toDayKey));
    return days.map((day, i) => ({ day, prices: records[i] ?? null }));
  };
  const loadDays = async (firstDay: number, lastDay: number) =>
    (await readDays(firstDay, lastDay)).flatMap(({ prices }) => prices ?? []);
  const { forgetDay, ...history } = createPriceHistory({ clock, loadDays });
  const writeDay = async (prices: DayPrices) => {
    const day = toDayNumber(prices.time);
    // A day without any price at the source is requested again later. A wrong setting is fixed by then.
    const ttlMs = Object.keys(prices.usd).length > 0 ? undefined : STORE_KEYS.dayPrices.ttlMs;
    if (await kv.setIfAbsent(toDayKey(day), prices, ttlMs)) forgetDay(day);
  };

  /** When the next fill may start, ms since the epoch. */
  let nextFillAt = 0;
  /** Fills the days before today from Pyth's history, newest first. */
  const fillDays = async ({ readPricesAt }: Pick<Hermes, "readPricesAt">, reservePlace: () => boolean) => {
    if (!(await kv.setIfAbsent(toLeaseKey(), true, LEASE_MS))) return;
    const today = toDayNumber(clock.now());
    const days = await readDays(today - MAX_HISTORY_DAYS, today - 1);
    const missingDays = days.flatMap(({ day, prices }) => (prices ? [] : [day])).reverse();
    if (missingDays.length === 0) nextFillAt = (today + 1) * DAY_MS;
    let failureCount = 0;
    for (const day of missingDays.slice(0, DAYS_PER_LEASE)) {
      // Stop when the process is ending, or when too many tasks outlive their requests.
      if (!reservePlace()) return;
      try {
        await writeDay(selectSoundPrices(await readPricesAt(day * DAY_MS), day * DAY_MS, bounds));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (hasStatus(error, TOO_MANY_REQUESTS) || ++failureCount === MAX_FAILURES) return;
      }
      await clock.sleep(PAUSE_MS);
    }
  };

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
    /** Stores the first sound reading of a day and starts the fill of earlier days. Call it with every reading. */
    recordPrices(prices: Prices): void {
      if (hermes && clock.now() >= nextFillAt) {
        nextFillAt = clock.now() + LEASE_MS;
        background.run("price-fill", (reservePlace) => fillDays(hermes, reservePlace)).catch(() => {});
      }
      const { fetchedAt } = prices;
      if (fetchedAt === lastFetchedAt || toDayNumber(fetchedAt) === lastStoredDay || !hasSoundPrice(prices, "SOL"))
        return;
      lastFetchedAt = fetchedAt;
      // When the store fails, the next reading tries again. The background runner reports bugs.
      background.run("daily-prices", () => storePrices(prices)).catch(() => {});
    },
  };
}

/** Leaves out missing, implausible, uncertain and late prices. A day without any is not requested again soon. */
function selectSoundPrices(
  prices: Awaited<ReturnType<Hermes["readPricesAt"]>>,
  dayStart: number,
  bounds: PriceBounds,
): DayPrices {
  const soundPrices = ASSET_SYMBOLS.flatMap((asset) => {
    const price = prices[asset];
    if (!price || !isWithinBound(price.usd, bounds[asset])) return [];
    const isCertain = price.confidenceUsd <= price.usd * REFERENCE_MAX_UNCERTAINTY;
    const isTimely = Math.abs(price.publishedAt - dayStart) <= MAX_DELAY_MS;
    return isCertain && isTimely ? [[asset, price.usd]] : [];
  });
  return { time: dayStart, usd: Object.fromEntries(soundPrices), source: "pyth" };
}
