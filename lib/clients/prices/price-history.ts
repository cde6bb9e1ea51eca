import { type DayPrices, findNearestPoint, listPoints, toDayNumber } from "../../domain/prices/price-history";
import { DAY_MS } from "../../domain/time";
import type { Clock } from "../../ports/clock";
import type { PriceHistory } from "../../ports/prices";
import { createCache } from "../process/cache";

interface PriceHistoryOptions {
  clock: Clock;
  /** Returns the stored prices of the days from `firstDay` to `lastDay`, oldest first. @throws AppError upstream_* */
  loadDays: (firstDay: number, lastDay: number) => Promise<DayPrices[]>;
}

/** Days loaded at a time. Past days hardly change, so they are cached in blocks. */
const BLOCK_DAYS = 365;
/** How long a block is cached, ms. Prices that other processes write appear after this time. */
const BLOCK_TTL_MS = 600_000;
/** The number of cached blocks. Five years that begin and end within a block touch six. */
const MAX_BLOCKS = 8;

export function createPriceHistory({ clock, loadDays }: PriceHistoryOptions) {
  const toBlockIndex = (day: number) => Math.floor(day / BLOCK_DAYS);
  const blocks = createCache({ ttlMs: BLOCK_TTL_MS, clock, maxEntries: MAX_BLOCKS });
  const loadBlock = (block: number) =>
    loadDays(block * BLOCK_DAYS, Math.min((block + 1) * BLOCK_DAYS - 1, toDayNumber(clock.now())));

  /** Returns the readings from one time to another, both included, ms since the epoch. */
  const readDays = async (sinceMs: number, untilMs: number): Promise<DayPrices[]> => {
    const firstBlock = toBlockIndex(toDayNumber(sinceMs));
    const lastBlock = toBlockIndex(toDayNumber(Math.min(untilMs, clock.now())));
    const loads = Array.from({ length: Math.max(0, lastBlock - firstBlock + 1) }, (_, i) =>
      blocks.get(String(firstBlock + i), () => loadBlock(firstBlock + i)),
    );
    return (await Promise.all(loads)).flat().filter(({ time }) => time >= sinceMs && time <= untilMs);
  };

  const history: PriceHistory = {
    async readSeries(asset, days) {
      const now = clock.now();
      const readings = await readDays(now - days * DAY_MS, now);
      const points = listPoints(readings, asset);
      const sources = readings.flatMap(({ usd, source }) => (usd[asset] === undefined ? [] : source.split("+")));
      return { points, source: points.length > 0 ? [...new Set(sources)].sort().join("+") : null };
    },
    async readPriceAt(asset, time) {
      const nearbyDays = await readDays(time - DAY_MS, time + DAY_MS);
      return findNearestPoint(listPoints(nearbyDays, asset), time)?.usd ?? null;
    },
  };
  const forgetDay = (day: number): void => blocks.invalidate(String(toBlockIndex(day)));
  return { ...history, forgetDay };
}
