import { beforeEach, describe, expect, test } from "vitest";
import { createJupiter, type Jupiter } from "../../../../lib/clients/jupiter/jupiter";
import { createHermes } from "../../../../lib/clients/prices/hermes";
import { createPriceFeed } from "../../../../lib/clients/prices/price-feed";
import { NO_LIMIT, withBucket } from "../../../../lib/clients/quota/bucket";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { PYTH_FEEDS } from "../../../../lib/domain/prices/pyth-feeds";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { answerJson, answerText, type Stage, startStagedServerForFile } from "../../../support/fakes/staged-server";
import { createMemoryStore } from "../../../support/store/memory-store";

const USD: Record<AssetSymbol, number> = { BTC: 100_000, ETH: 4_000, SOL: 200, USDC: 1, USDT: 0.9995 };
const DOWN = answerText("secret-token", 500);
const jupiterServer = await startStagedServerForFile();
const pythServer = await startStagedServerForFile();
beforeEach(() => {
  jupiterServer.stage = answerPrices();
});

/** Answers Jupiter's prices of all assets, with these overrides. */
const answerPrices = (overrides: Partial<Record<AssetSymbol, unknown>> = {}): Stage => {
  const prices = Object.entries({ ...USD, ...overrides }).map(([symbol, usdPrice]) => [
    ASSETS[symbol as AssetSymbol].mint,
    { usdPrice, decimals: 6, blockId: 1, priceChange24h: null, liquidity: 1 },
  ]);
  return answerJson(Object.fromEntries(prices));
};

interface PythPrice {
  usd: number;
  confidenceUsd?: number;
  ageSeconds?: number;
}

interface FeedOptions {
  jupiter?: Pick<Jupiter, "readPrices">;
  hasHermes?: boolean;
  clock?: ManualClock;
  /** A store shared with another instance, or left by an earlier one. */
  kv?: Pick<KvStore, "get" | "set">;
}

function createFeed({
  hasHermes = false,
  clock = createManualClock(),
  kv = createMemoryStore(clock),
  jupiter = createJupiter({ baseUrl: jupiterServer.url, timeoutMs: 20_000, clock }),
}: FeedOptions = {}) {
  const hermes = createHermes({ baseUrl: pythServer.url, apiKey: "bearer-key", timeoutMs: 20_000, clock });
  const notices: string[] = [];
  const quotaFeed = createPriceFeed({
    jupiter: withBucket(NO_LIMIT, jupiter),
    clock,
    kv,
    bounds: DEFAULT_PRICE_BOUNDS,
    notify: (text) => notices.push(text),
    ...(hasHermes && { hermes }),
  });
  /** Stages Pyth's prices: those of USD with these overrides, without `missingSymbols`. */
  const stagePyth = (overrides: Partial<Record<AssetSymbol, PythPrice>> = {}, missingSymbols: AssetSymbol[] = []) => {
    const toUnits = (usd: number) => String(Math.round(usd * 1e8));
    const parsed = ASSET_SYMBOLS.filter((symbol) => !missingSymbols.includes(symbol)).map((symbol) => {
      const { usd, confidenceUsd = usd / 1000, ageSeconds = 1 } = overrides[symbol] ?? { usd: USD[symbol] };
      const publish_time = Math.floor(clock.now() / 1000) - ageSeconds;
      const price = { price: toUnits(usd), conf: toUnits(confidenceUsd), expo: -8, publish_time };
      return { id: PYTH_FEEDS[symbol], price };
    });
    pythServer.stage = answerJson({ binary: { encoding: "hex", data: [] }, parsed });
  };
  const feed = bindQuotaUser(SERVICE_ITSELF, quotaFeed);
  /** Lets `ms` pass, and reads the prices while Jupiter answers those of USD with these overrides. */
  const readAfter = async (ms: number, overrides: Partial<Record<AssetSymbol, unknown>> = {}) => {
    jupiterServer.stage = answerPrices(overrides);
    await clock.advance(ms);
    return feed.readCurrent();
  };
  return { clock, feed, kv, notices, stagePyth, readAfter };
}

/** Creates a feed with Pyth as its second source, which answers the prices of USD with these overrides. */
function createPythFeed(...pythPrices: Parameters<ReturnType<typeof createFeed>["stagePyth"]>) {
  const pythFeed = createFeed({ hasHermes: true });
  pythFeed.stagePyth(...pythPrices);
  return pythFeed;
}

describe("readCurrent", () => {
  test("serves the last prices for 5 minutes while the source fails, then throws price_stale", async () => {
    const { clock, feed, readAfter } = createFeed();
    const firstPrices = await feed.readCurrent();
    jupiterServer.stage = DOWN;
    await clock.advance(300_000);
    expect(await feed.readCurrent()).toEqual(firstPrices);
    await clock.advance(1);
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "price_stale", details: { retryAfterSeconds: 2 } });
    expect((await readAfter(2_000, { SOL: 201 })).usd.SOL).toBe(201);
  });

  test("does not serve an old price after the clock is set back, but reads the source again", async () => {
    const { clock, feed, kv, readAfter } = createFeed();
    await feed.readCurrent();
    await clock.advance(-3_600_000);
    jupiterServer.stage = DOWN;
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "price_stale" });
    await expect(createFeed({ clock, kv }).feed.readCurrent()).rejects.toMatchObject({ code: "price_stale" });
    const laterPrices = await readAfter(-3_600_000, { SOL: 201 });
    expect(laterPrices).toMatchObject({ usd: { SOL: 201 }, fetchedAt: clock.now() });
  });

  test.each([
    ["missing", undefined],
    ["zero", 0],
    ["negative", -1],
    ["text", "200"],
    ["next to nothing", 5e-7],
    ["beyond every price", 1e308],
    ["a hundred times too low", 1.5],
    ["a million times too high", 1e9],
  ])("fails the refresh when SOL's price is %s", async (_caseName, price) => {
    jupiterServer.stage = answerPrices({ SOL: price });
    await expect(createFeed().feed.readCurrent()).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test.each([
    ["missing", undefined],
    ["zero", 0],
    ["out of its bounds", 40],
  ])("omits ETH alone when its price is %s", async (_caseName, price) => {
    jupiterServer.stage = answerPrices({ ETH: price });
    const { ETH: _, ...otherPrices } = USD;
    expect(await createFeed().feed.readCurrent()).toMatchObject({ usd: otherPrices, doubts: {} });
  });
});

const JUMPED = { SOL: "jumped" };

describe("jumps and restarts, without a second source", () => {
  test("blocks builds of one asset alone after a jump above 20 %", async () => {
    const { feed, readAfter } = createFeed();
    await feed.readCurrent();
    const nextPrices = await readAfter(30_000, { SOL: 240, ETH: 3_200 });
    expect(nextPrices).toMatchObject({ usd: { SOL: 240, ETH: 3_200 }, doubts: {} });
    const jumpedPrices = await readAfter(30_000, { SOL: 191.9, ETH: 3_200 });
    expect(jumpedPrices).toMatchObject({ usd: { SOL: 191.9 }, doubts: { SOL: "jumped" } });
  });

  test.each([
    ["is accepted once three reads over 90 s match", 30_000, [300, 300, 300, 300], [JUMPED, JUMPED, JUMPED, {}]],
    ["is not accepted after two matching reads, however far apart", 120_000, [300, 300, 300], [JUMPED, JUMPED, {}]],
    [
      "that ends within 90 s is dropped as a glitch, and a new jump starts over",
      30_000,
      [20, 20, 30, 30, 30, 200, 30],
      [JUMPED, JUMPED, JUMPED, JUMPED, JUMPED, {}, JUMPED],
    ],
  ])("a jump %s", async (_caseName, pauseMs, prices, doubts) => {
    const { feed, readAfter } = createFeed();
    await feed.readCurrent();
    const doubtsByReading = [];
    for (const SOL of prices) doubtsByReading.push((await readAfter(pauseMs, { SOL })).doubts);
    expect(doubtsByReading).toEqual(doubts);
  });

  test("detects a jump after a restart", async () => {
    const { clock, feed, kv } = createFeed();
    await feed.readCurrent();
    for (const doubts of [JUMPED, JUMPED, JUMPED, {}])
      expect((await createFeed({ clock, kv }).readAfter(30_000, { SOL: 20 })).doubts).toEqual(doubts);
  });

  test("blocks builds in a fresh process while the store is down, but not in one that knows the last prices", async () => {
    const { clock, feed, kv } = createFeed();
    let isStoreDown = true;
    const unreliableStore: Pick<KvStore, "get" | "set"> = {
      get: async (key) => (isStoreDown ? Promise.reject(new AppError("upstream_unavailable")) : kv.get(key)),
      set: async (...entry) => (isStoreDown ? Promise.reject(new AppError("upstream_timeout")) : kv.set(...entry)),
    };
    const { readAfter } = createFeed({ clock, kv: unreliableStore });
    expect(await readAfter(0)).toMatchObject({ usd: USD, doubts: { SOL: "unchecked", BTC: "unchecked" } });
    isStoreDown = false;
    expect((await readAfter(5_000)).doubts).toEqual({});
    isStoreDown = true;
    expect((await readAfter(30_000, { SOL: 20 })).doubts).toEqual(JUMPED);
    expect((await feed.readCurrent()).doubts).toEqual(JUMPED);
  });

  test("serves the last good prices for 5 minutes after a restart while the source fails", async () => {
    const { clock, feed, kv } = createFeed();
    const { fetchedAt } = await feed.readCurrent();
    jupiterServer.stage = DOWN;
    await clock.advance(300_000);
    expect(await createFeed({ clock, kv }).feed.readCurrent()).toMatchObject({ usd: USD, fetchedAt });
    await clock.advance(1);
    await expect(createFeed({ clock, kv }).feed.readCurrent()).rejects.toMatchObject({ code: "price_stale" });
  });
});

describe("with Pyth as second source", () => {
  test.each([
    ["SOL 1.9 % apart", { SOL: { usd: 200 / 1.019 } }, true],
    ["SOL 2.1 % apart", { SOL: { usd: 200 / 1.021 } }, false],
    ["USDC 0.9 % apart", { USDC: { usd: 1 / 1.009 } }, true],
    ["USDC 1.1 % apart", { USDC: { usd: 1 / 1.011 } }, false],
    ["60 s old", { ETH: { usd: 4_000, ageSeconds: 60 } }, true],
    ["61 s old", { ETH: { usd: 4_000, ageSeconds: 61 } }, false],
    ["from the future", { ETH: { usd: 4_000, ageSeconds: -61 } }, false],
    ["1 % uncertain", { BTC: { usd: 100_000, confidenceUsd: 1_000 } }, true],
    ["1.1 % uncertain", { BTC: { usd: 100_000, confidenceUsd: 1_100 } }, false],
    ["zero", { BTC: { usd: 0 } }, false],
    ["negative", { BTC: { usd: -100_000 } }, false],
  ])("takes a reference price that is %s as agreement: %s", async (caseName, overrides, isAgreement) => {
    const { feed } = createPythFeed(overrides as Partial<Record<AssetSymbol, PythPrice>>);
    const doubts = isAgreement ? {} : { [Object.keys(overrides)[0]!]: "disputed" };
    expect(await feed.readCurrent(), caseName).toMatchObject({ usd: USD, source: "jupiter+pyth" });
    expect((await feed.readCurrent()).doubts).toEqual(doubts);
  });

  test("returns Pyth's prices of dollar tokens if they are recent and certain", async () => {
    const { feed, readAfter, stagePyth } = createPythFeed({ USDC: { usd: 0.985 }, USDT: { usd: 1, ageSeconds: 61 } });
    expect((await feed.readCurrent()).referenceUsd).toEqual({ USDC: 0.985 });
    stagePyth({ USDC: { usd: 1, confidenceUsd: 0.02 }, USDT: { usd: 1.000_2 } });
    expect((await readAfter(30_000)).referenceUsd).toEqual({ USDT: 1.000_2 });
    expect((await createFeed().feed.readCurrent()).referenceUsd).toBeUndefined();
  });

  test("accepts a jump at once only if Pyth confirms it", async () => {
    const { clock, feed, stagePyth } = createPythFeed();
    await feed.readCurrent();
    await clock.advance(30_000);
    jupiterServer.stage = answerPrices({ SOL: 300 });
    stagePyth({ SOL: { usd: 300 } });
    expect((await feed.readCurrent()).doubts).toEqual({});
    await clock.advance(30_000);
    jupiterServer.stage = answerPrices({ SOL: 20 });
    for (let read = 0; read < 30; read++) {
      stagePyth({ SOL: { usd: 300 } });
      expect((await feed.readCurrent()).doubts).toEqual({ SOL: "disputed" });
      await clock.advance(5_000);
    }
  });

  test.each([
    ["down", DOWN, "silent", /is silent/],
    ["answering in an unexpected shape", answerJson({ parsed: [{ id: 5 }] }), "silent", /is silent/],
    ["refusing the key", answerText("", 401), "unauthorised", /refuses HERMES_API_KEY/],
    ["not entitled", answerText("", 403), "unauthorised", /refuses HERMES_API_KEY/],
  ])("blocks builds for 60 s when Pyth is %s from the start", async (_caseName, stage, state, notice) => {
    pythServer.stage = stage;
    const { clock, feed, kv, notices, stagePyth, readAfter } = createFeed({ hasHermes: true });
    expect(await feed.readCurrent()).toMatchObject({ usd: USD, source: "jupiter", secondSource: state });
    for (let read = 0; read < 12; read++) {
      expect((await feed.readCurrent()).doubts).toMatchObject({ SOL: "unchecked", BTC: "unchecked" });
      await clock.advance(5_000);
    }
    expect(await feed.readCurrent()).toMatchObject({ doubts: {}, secondSource: state });
    // A second instance counts the 60 s from the same start.
    expect((await createFeed({ hasHermes: true, clock, kv }).feed.readCurrent()).doubts).toEqual({});
    expect((await readAfter(30_000, { SOL: 20 })).doubts).toEqual(JUMPED);
    expect(notices).toEqual([expect.stringMatching(notice)]);
    stagePyth();
    expect(await readAfter(30_000)).toMatchObject({ doubts: {}, secondSource: "answers" });
    expect(notices[1]).toMatch(/answers again/);
  });

  test("uses Pyth's last prices for a minute after it stops answering, then the first source's rules", async () => {
    const { clock, feed } = createPythFeed();
    await feed.readCurrent();
    pythServer.stage = DOWN;
    for (const secondSource of ["answers", "silent", "silent", "silent"]) {
      await clock.advance(30_000);
      expect(await feed.readCurrent()).toMatchObject({ usd: USD, doubts: {}, secondSource });
    }
  });

  test("keeps a disputed price blocked after Pyth stops answering", async () => {
    const { readAfter } = createPythFeed();
    expect((await readAfter(0, { SOL: 220 })).doubts).toEqual({ SOL: "disputed" });
    pythServer.stage = DOWN;
    expect((await readAfter(55_000, { SOL: 220 })).doubts).toEqual({ SOL: "disputed" });
  });

  test("doubts only the asset whose price Pyth does not return", async () => {
    const { feed } = createPythFeed({}, ["ETH"]);
    expect(await feed.readCurrent()).toMatchObject({ usd: USD, doubts: { ETH: "unchecked" }, secondSource: "answers" });
  });
});
