import { ASSET_SYMBOLS } from "../../domain/assets";
import { isWithin, type PriceBounds } from "../../domain/prices/price-bounds";
import { REFERENCE_MAX_UNCERTAINTY } from "../../domain/prices/price-check";
import { DAY_MS, type DayPrices, dayOf, MAX_HISTORY_DAYS } from "../../domain/prices/price-history";
import { AppError } from "../../errors";
import type { Background } from "../../ports/background";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { Hermes } from "./hermes";

export interface PriceFillOptions {
  hermes: Pick<Hermes, "pricesAt">;
  /** Those of the days `first` … `last` that are not written yet, newest first. @throws AppError upstream_* */
  missing: (first: number, last: number) => Promise<number[]>;
  /** @throws AppError upstream_* */
  write: (prices: DayPrices) => Promise<void>;
  kv: Pick<KvStore, "setIfAbsent">;
  bounds: PriceBounds;
  clock: Clock;
  background: Background;
}

/** One instance fills at a time, for so long at most; then whoever comes first goes on. */
const TURN_MS = 600_000;
/** A turn's calls, with the pause between two of them: half a turn, so that it ends within it. */
const DAYS_A_TURN = 300;
const PAUSE_MS = 1_000;
/** After so many failures in a turn the source is left alone until the next. */
const MAX_FAILURES = 3;
/** Prices published later than this after a day's beginning are not that moment's. */
const MAX_LATE_MS = 3_600_000;

/**
 * Fills the days before today from Pyth's history, newest first, in the background. Called with every reading of the
 * prices, it does something once in a turn at most.
 */
export function createPriceFill(options: PriceFillOptions): () => void {
  const { missing, write, kv, clock, background } = options;
  let restsUntil = 0;

  const fill = async (mayGoOn: () => boolean) => {
    if (!(await kv.setIfAbsent("prices-of:filling", true, TURN_MS))) return;
    const today = dayOf(clock.now());
    const days = await missing(today - MAX_HISTORY_DAYS, today - 1);
    if (days.length === 0) restsUntil = (today + 1) * DAY_MS;
    let failures = 0;
    for (const day of days.slice(0, DAYS_A_TURN)) {
      if (!mayGoOn()) return;
      try {
        await write(await readDay(options, day));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (++failures === MAX_FAILURES) return;
      }
      await clock.sleep(PAUSE_MS);
    }
  };

  return () => {
    if (clock.now() < restsUntil) return;
    restsUntil = clock.now() + TURN_MS;
    background.run("price-fill", fill).catch(() => {});
  };
}

/** What the source does not have, or not surely, is written as absent, so that it is not asked for again soon. */
async function readDay({ hermes, bounds }: PriceFillOptions, day: number): Promise<DayPrices> {
  const time = day * DAY_MS;
  const read = await hermes.pricesAt(time);
  const sound = ASSET_SYMBOLS.flatMap((asset) => {
    const price = read[asset];
    if (!price || !isWithin(price.usd, bounds[asset])) return [];
    const certain = price.confidenceUsd <= price.usd * REFERENCE_MAX_UNCERTAINTY;
    const timely = Math.abs(price.publishedAt - time) <= MAX_LATE_MS;
    return certain && timely ? [[asset, price.usd]] : [];
  });
  return { time, usd: Object.fromEntries(sound), source: "pyth" };
}
