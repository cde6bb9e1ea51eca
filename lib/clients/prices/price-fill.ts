import { ASSET_SYMBOLS } from "../../domain/assets";
import { isWithinBound, type PriceBounds } from "../../domain/prices/price-bounds";
import { REFERENCE_MAX_UNCERTAINTY } from "../../domain/prices/price-check";
import { type DayPrices, MAX_HISTORY_DAYS, toDayNumber } from "../../domain/prices/price-history";
import { STORE_KEYS } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import { AppError } from "../../errors";
import type { Background } from "../../ports/background";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { hasStatus } from "../http/fetch-json";
import type { Hermes } from "./hermes";

interface PriceFillOptions {
  hermes: Pick<Hermes, "readPricesAt">;
  /** Returns the days from `firstDay` to `lastDay` that are not stored, newest first. @throws AppError upstream_* */
  listMissingDays: (firstDay: number, lastDay: number) => Promise<number[]>;
  /** Stores a day's prices. @throws AppError upstream_* */
  writeDay: (prices: DayPrices) => Promise<void>;
  kv: Pick<KvStore, "setIfAbsent">;
  bounds: PriceBounds;
  clock: Clock;
  background: Background;
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

/**
 * Returns a function that fills the days before today from Pyth's history, newest first, in the background. Call it
 * with every reading of the prices. It starts work at most once per LEASE_MS.
 */
export function createPriceFill(options: PriceFillOptions): () => void {
  const { listMissingDays, writeDay, kv, clock, background } = options;
  /** When the next fill may start, ms since the epoch. */
  let nextFillAt = 0;

  const fillDays = async (reservePlace: () => boolean) => {
    if (!(await kv.setIfAbsent(toLeaseKey(), true, LEASE_MS))) return;
    const today = toDayNumber(clock.now());
    const days = await listMissingDays(today - MAX_HISTORY_DAYS, today - 1);
    if (days.length === 0) nextFillAt = (today + 1) * DAY_MS;
    let failureCount = 0;
    for (const day of days.slice(0, DAYS_PER_LEASE)) {
      // Stop when the process is ending, or when too many tasks outlive their requests.
      if (!reservePlace()) return;
      try {
        await writeDay(await readPricesOfDay(options, day));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (hasStatus(error, TOO_MANY_REQUESTS) || ++failureCount === MAX_FAILURES) return;
      }
      await clock.sleep(PAUSE_MS);
    }
  };

  return () => {
    if (clock.now() < nextFillAt) return;
    nextFillAt = clock.now() + LEASE_MS;
    background.run("price-fill", fillDays).catch(() => {});
  };
}

/**
 * Reads the prices at the beginning of a day. Missing, implausible, uncertain and late prices are left out. The day's
 * record is written without them, so that the day is not requested again soon.
 * @throws AppError upstream_*
 */
async function readPricesOfDay({ hermes, bounds }: PriceFillOptions, day: number): Promise<DayPrices> {
  const dayStart = day * DAY_MS;
  const prices = await hermes.readPricesAt(dayStart);
  const soundPrices = ASSET_SYMBOLS.flatMap((asset) => {
    const price = prices[asset];
    if (!price || !isWithinBound(price.usd, bounds[asset])) return [];
    const isCertain = price.confidenceUsd <= price.usd * REFERENCE_MAX_UNCERTAINTY;
    const isTimely = Math.abs(price.publishedAt - dayStart) <= MAX_DELAY_MS;
    return isCertain && isTimely ? [[asset, price.usd]] : [];
  });
  return { time: dayStart, usd: Object.fromEntries(soundPrices), source: "pyth" };
}
