import { describe, expect, onTestFinished, test } from "vitest";
import { createHermes, type Hermes } from "../../../../lib/clients/prices/hermes";
import { createStoredPrices } from "../../../../lib/clients/prices/stored-prices";
import { createBackground } from "../../../../lib/clients/process/background";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { DAY_MS } from "../../../../lib/domain/prices/price-history";
import type { Prices } from "../../../../lib/domain/prices/prices";
import { PYTH_FEEDS } from "../../../../lib/domain/prices/pyth-feeds";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { PRICES_USD, pricesAt, unavailable } from "../../../support/fakes/fake-deps";
import { type ManualClock, manualClock } from "../../../support/fakes/manual-clock";
import { json, stagedServer, text } from "../../../support/fakes/staged-server";
import { memoryStore } from "../../../support/store/memory-store";

const START = Date.UTC(2026, 10, 21, 9);
const TODAY = Date.UTC(2026, 10, 21);

type PythPrices = Awaited<ReturnType<Hermes["pricesAt"]>>;
const certain = (usd: number, publishedAt: number) => ({ usd, confidenceUsd: usd / 1_000, publishedAt });

interface Rig {
  clock?: ManualClock;
  kv?: KvStore;
  /** Pyth's history; without it there is no Pyth. */
  pyth?: (time: number) => PythPrices;
}

/** One instance of the service, which may share its store and its clock with others. */
function instance({ clock = manualClock(START), kv = memoryStore(clock), pyth }: Rig = {}) {
  const asked: number[] = [];
  const hermes = pyth && {
    pricesAt: async (time: number) => {
      asked.push(time);
      return pyth(time);
    },
  };
  const background = createBackground((error) => expect.unreachable(String(error)));
  const prices = createStoredPrices({ kv, clock, background, hermes, bounds: DEFAULT_PRICE_BOUNDS });
  const note = async (changes: Partial<Prices> = {}) => {
    prices.note(pricesAt(clock.now(), changes));
    await clock.advance(0);
  };
  return { clock, kv, background, prices, asked, note };
}

describe("a day's price", () => {
  test("is the first that any instance reads, however many read at once, and stays", async () => {
    const one = instance();
    const other = instance(one);
    await Promise.all([one.note(), other.note({ usd: { SOL: 999 } })]);
    await one.clock.advance(60_000);
    await other.note({ usd: { SOL: 200 } });
    const series = { points: [{ time: START, usd: 150 }], source: "staged" };
    expect(await one.prices.series("SOL", 30)).toEqual(series);
    expect(await other.prices.series("SOL", 30)).toEqual(series);
  });

  test("one in doubt is not kept; it may come later in the day, and another asset without it", async () => {
    const { clock, prices, note } = instance();
    await note({ doubts: { SOL: "jumped" } });
    expect(await prices.at("SOL", START)).toBeNull();
    await clock.advance(30_000);
    await note({ doubts: { ETH: "disputed" } });
    expect(await prices.at("SOL", START)).toBe(PRICES_USD.SOL);
    expect(await prices.at("ETH", START)).toBeNull();
  });

  test("a store that fails holds nobody up, and the next reading is kept", async () => {
    const clock = manualClock(START);
    const kv = memoryStore(clock);
    const { prices, note } = instance({ clock, kv });
    const { setIfAbsent } = kv;
    kv.setIfAbsent = () => Promise.reject(unavailable());
    await note();
    kv.setIfAbsent = setIfAbsent;
    await clock.advance(30_000);
    await note();
    expect(await prices.at("SOL", START)).toBe(150);
  });

  test("of a moment: the nearest within a day, null before, after and between", async () => {
    const { clock, prices, note } = instance();
    for (const SOL of [100, 110, 140]) {
      await note({ usd: { SOL } });
      await clock.advance(SOL === 110 ? 3 * DAY_MS : DAY_MS);
    }
    const at = (days: number) => prices.at("SOL", START + days * DAY_MS);
    expect(await Promise.all([-1.01, -1, 0.4, 0.6, 2, 2.5, 3.1, 5, 5.1].map(at))).toEqual([
      null,
      100,
      100,
      110,
      110,
      null,
      140,
      140,
      null,
    ]);
    expect(await prices.at("BTC", START)).toBeNull();
  });

  test("years of them are read from the store once for all readers", async () => {
    const { kv, prices, note } = instance();
    await note();
    let reads = 0;
    const { getMany } = kv;
    kv.getMany = (keys) => {
      reads++;
      return getMany(keys);
    };
    await Promise.all(Array.from({ length: 50 }, (_, i) => prices.at("SOL", START - i * DAY_MS)));
    await Promise.all([prices.series("SOL", 1_825), prices.series("BTC", 1_825)]);
    expect(reads).toBeLessThanOrEqual(7);
  });

  test("a store that fails is said, not taken for an empty past", async () => {
    const { kv, prices } = instance();
    kv.getMany = () => Promise.reject(unavailable());
    await expect(prices.series("SOL", 30)).rejects.toMatchObject({ code: "upstream_unavailable" });
    await expect(prices.at("SOL", START)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("the days before, from Pyth", () => {
  const known = (time: number): PythPrices => ({ SOL: certain(100, time), BTC: certain(90_000, time + 1_000) });

  test("are filled newest first and a second apart, each asked for once by all instances together", async () => {
    const one = instance({ pyth: known });
    const other = instance({ ...one, pyth: known });
    await Promise.all([one.note(), other.note()]);
    await one.clock.advance(9_500);
    const asked = [...one.asked, ...other.asked];
    expect(asked).toEqual(Array.from({ length: 10 }, (_, i) => TODAY - (i + 1) * DAY_MS));
    expect((await other.prices.series("SOL", 4)).points.map(({ time }) => time)).toEqual([
      TODAY - 3 * DAY_MS,
      TODAY - 2 * DAY_MS,
      TODAY - DAY_MS,
      START,
    ]);
    expect((await other.prices.series("SOL", 4)).source).toBe("pyth+staged");
  });

  test("all five years are filled in some turns, and then nothing is asked until tomorrow", async () => {
    const { clock, prices, asked, note } = instance({ pyth: known });
    for (let turn = 0; turn < 9; turn++) {
      await note();
      await clock.advance(600_000);
    }
    expect(new Set(asked).size).toBe(1_825);
    expect(asked).toHaveLength(1_825);
    expect((await prices.series("BTC", 1_825)).points).toHaveLength(1_825);
  });

  test("what is out of bounds, uncertain, of another time or not there is absent, and not asked for again", async () => {
    const odd = (time: number): PythPrices => ({
      SOL: certain(1, time),
      ETH: { ...certain(3_000, time), confidenceUsd: 31 },
      BTC: certain(90_000, time + 3_600_001),
      USDC: certain(1, time),
    });
    const { clock, kv, prices, note } = instance({ pyth: odd });
    await note({ usd: { SOL: 150 } });
    await clock.advance(2_500);
    const yesterday = TODAY - DAY_MS;
    for (const asset of ["ETH", "BTC", "USDT"] as const) expect(await prices.at(asset, yesterday)).toBeNull();
    expect(await prices.at("SOL", TODAY - 2 * DAY_MS)).toBeNull();
    expect(await prices.at("USDC", yesterday)).toBe(1);
    const later = instance({ clock, kv, pyth: odd });
    await clock.advance(600_000);
    await later.note();
    expect(later.asked).not.toContain(yesterday);
  });

  test("a day of which it knows nothing is asked for again after a month", async () => {
    const { clock, asked, note } = instance({ pyth: () => ({}) });
    const daysUntil = async (days: number) => {
      await clock.advance(days * DAY_MS - 120_000);
      asked.length = 0;
      await note();
      await clock.advance(120_000);
      return asked;
    };
    await note();
    await clock.advance(2_000);
    expect(asked[0]).toBe(TODAY - DAY_MS);
    expect(await daysUntil(29)).not.toContain(TODAY - DAY_MS);
    expect(await daysUntil(2)).toContain(TODAY - DAY_MS);
  });

  test("a source that fails is left alone after three failures, until the next turn", async () => {
    const { clock, asked, note } = instance({
      pyth: () => {
        throw unavailable();
      },
    });
    await note();
    await clock.advance(590_000);
    await note();
    expect(asked).toHaveLength(3);
    await clock.advance(10_000);
    await note();
    expect(asked).toHaveLength(4);
  });

  test("Hermes is asked for a moment in seconds, all feeds at once, with its key; a 404 is a day without prices", async () => {
    const pyth = await stagedServer();
    onTestFinished(() => pyth.close());
    const clock = manualClock(START);
    const { pricesAt } = createHermes({
      baseUrl: `${pyth.url}/hermes/`,
      apiKey: "bearer-key",
      timeoutMs: 20_000,
      clock,
    });
    const price = { price: "15012345678", conf: "1000000", expo: -8, publish_time: TODAY / 1_000 };
    pyth.stage = json({ parsed: [{ id: PYTH_FEEDS.SOL, price }] });
    expect(await pricesAt(TODAY)).toEqual({ SOL: { usd: 150.12345678, confidenceUsd: 0.01, publishedAt: TODAY } });
    const [asked] = pyth.seen;
    expect(asked!.path).toBe(`/hermes/v2/updates/price/${TODAY / 1_000}`);
    expect(asked!.query.getAll("ids[]")).toEqual(Object.values(PYTH_FEEDS));
    expect(asked!.headers.authorization).toBe("Bearer bearer-key");
    pyth.stage = text("Update data not found", 404);
    expect(await pricesAt(TODAY)).toEqual({});
    pyth.stage = text("busy", 429);
    await expect(pricesAt(TODAY)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("a process that ends stops filling", async () => {
    const { clock, background, asked, note } = instance({ pyth: known });
    await note();
    const closed = background.close();
    await clock.advance(5_000);
    await closed;
    expect(asked.length).toBeLessThanOrEqual(1);
  });
});
