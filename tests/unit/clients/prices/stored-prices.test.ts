import { describe, expect, test } from "vitest";
import type { Hermes } from "../../../../lib/clients/prices/hermes";
import { createStoredPrices } from "../../../../lib/clients/prices/stored-prices";
import { createBackground } from "../../../../lib/clients/process/background";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import type { Prices } from "../../../../lib/domain/prices/prices";
import { DAY_MS } from "../../../../lib/domain/time";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createOutage, createStagedPrices, PRICES_USD } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const START_MS = Date.UTC(2026, 10, 21, 9);
const TODAY_MS = Date.UTC(2026, 10, 21);

type PythPrices = Awaited<ReturnType<Hermes["readPricesAt"]>>;
const createCertainPrice = (usd: number, publishedAt: number) => ({ usd, confidenceUsd: usd / 1_000, publishedAt });

interface InstanceOptions {
  clock?: ManualClock;
  kv?: KvStore;
  /** Returns Pyth's prices at a time in ms. By default there is no Pyth. */
  pyth?: (time: number) => PythPrices;
}

/** Creates an instance of the service, which may share its store and its clock with others. */
function createInstance({
  clock = createManualClock(START_MS),
  kv = createMemoryStore(clock),
  pyth,
}: InstanceOptions = {}) {
  const requestedTimes: number[] = [];
  const hermes = pyth && {
    readPricesAt: async (time: number) => {
      requestedTimes.push(time);
      return pyth(time);
    },
  };
  const background = createBackground((error) => expect.unreachable(String(error)));
  const prices = createStoredPrices({ kv, clock, background, hermes, bounds: DEFAULT_PRICE_BOUNDS });
  const recordPrices = async (overrides: Partial<Prices> = {}) => {
    prices.recordPrices(createStagedPrices(clock.now(), overrides));
    await clock.advance(0);
  };
  return { clock, kv, background, prices, requestedTimes, recordPrices };
}

describe("a day's price", () => {
  test("is the first reading of any instance and never changes", async () => {
    const firstInstance = createInstance();
    const secondInstance = createInstance(firstInstance);
    await Promise.all([firstInstance.recordPrices(), secondInstance.recordPrices({ usd: { SOL: 999 } })]);
    await firstInstance.clock.advance(60_000);
    await secondInstance.recordPrices({ usd: { SOL: 200 } });
    const series = { points: [{ time: START_MS, usd: 150 }], source: "staged" };
    expect(await firstInstance.prices.readSeries("SOL", 30)).toEqual(series);
    expect(await secondInstance.prices.readSeries("SOL", 30)).toEqual(series);
  });

  test("is stored only when SOL is free of doubt", async () => {
    const { clock, prices, recordPrices } = createInstance();
    await recordPrices({ doubts: { SOL: "jumped" } });
    expect(await prices.readPriceAt("SOL", START_MS)).toBeNull();
    await clock.advance(30_000);
    await recordPrices({ doubts: { ETH: "disputed" } });
    expect(await prices.readPriceAt("SOL", START_MS)).toBe(PRICES_USD.SOL);
    expect(await prices.readPriceAt("ETH", START_MS)).toBeNull();
  });

  test("is the nearest stored price within a day of the requested moment", async () => {
    const { clock, prices, recordPrices } = createInstance();
    for (const SOL of [100, 110, 140]) {
      await recordPrices({ usd: { SOL } });
      await clock.advance(SOL === 110 ? 3 * DAY_MS : DAY_MS);
    }
    const readAt = (days: number) => prices.readPriceAt("SOL", START_MS + days * DAY_MS);
    const pricesByDay = await Promise.all([-1.01, -1, 0.4, 0.6, 2, 2.5, 3.1, 5, 5.1].map(readAt));
    expect(pricesByDay).toEqual([null, 100, 100, 110, 110, null, 140, 140, null]);
    expect(await prices.readPriceAt("BTC", START_MS)).toBeNull();
  });

  test("is an error, not a missing price, while the store fails", async () => {
    const { kv, prices } = createInstance();
    kv.getMany = () => Promise.reject(createOutage());
    await expect(prices.readSeries("SOL", 30)).rejects.toMatchObject({ code: "upstream_unavailable" });
    await expect(prices.readPriceAt("SOL", START_MS)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

test("the backfill from Pyth omits prices that are out of bounds, uncertain, late or missing", async () => {
  const createOddPrices = (time: number): PythPrices => ({
    SOL: createCertainPrice(1, time),
    ETH: { ...createCertainPrice(3_000, time), confidenceUsd: 31 },
    BTC: createCertainPrice(90_000, time + 3_600_001),
    USDC: createCertainPrice(1, time),
  });
  const { clock, kv, prices, recordPrices } = createInstance({ pyth: createOddPrices });
  await recordPrices();
  await clock.advance(4_500);
  const yesterdayMs = TODAY_MS - DAY_MS;
  for (const asset of ["ETH", "BTC", "USDT"] as const) expect(await prices.readPriceAt(asset, yesterdayMs)).toBeNull();
  expect(await prices.readPriceAt("SOL", TODAY_MS - 2 * DAY_MS)).toBeNull();
  expect(await prices.readPriceAt("USDC", yesterdayMs)).toBe(1);
  const laterInstance = createInstance({ clock, kv, pyth: createOddPrices });
  await clock.advance(600_000);
  await laterInstance.recordPrices();
  expect(laterInstance.requestedTimes).not.toContain(yesterdayMs);
});
