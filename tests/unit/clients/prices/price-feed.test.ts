import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createJupiter } from "../../../../lib/clients/jupiter/jupiter";
import { createHermes } from "../../../../lib/clients/prices/hermes";
import { createPriceFeed } from "../../../../lib/clients/prices/price-feed";
import { SERVICE, UNLIMITED } from "../../../../lib/clients/quota/budget";
import { scopeToCaller, withBudget } from "../../../../lib/clients/quota/caller-scoped";
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { PYTH_FEEDS } from "../../../../lib/domain/prices/pyth-feeds";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import {
  answerJson,
  answerText,
  type Stage,
  type StagedServer,
  startStagedServer,
} from "../../../support/fakes/staged-server";
import { createMemoryStore } from "../../../support/store/memory-store";

const USD: Record<AssetSymbol, number> = { BTC: 100_000, ETH: 4_000, SOL: 200, USDC: 1, USDT: 0.9995 };
const DOWN = answerText("secret-token", 500);
let jup: StagedServer;
let pyth: StagedServer;

beforeAll(async () => {
  [jup, pyth] = await Promise.all([startStagedServer(), startStagedServer()]);
});
afterAll(() => Promise.all([jup.close(), pyth.close()]));
beforeEach(() => {
  jup.requests.length = 0;
  pyth.requests.length = 0;
});

const jupiterPrices = (changes: Partial<Record<AssetSymbol, unknown>> = {}): Stage =>
  answerJson(
    Object.fromEntries(
      Object.entries({ ...USD, ...changes }).map(([symbol, usdPrice]) => [
        ASSETS[symbol as AssetSymbol].mint,
        { usdPrice, decimals: 6, blockId: 1, priceChange24h: null, liquidity: 1 },
      ]),
    ),
  );

interface Reference {
  usd: number;
  conf?: number;
  ageSeconds?: number;
}

interface Rig {
  withHermes?: boolean;
  /** A store shared with another instance, or left by an earlier one. */
  clock?: ManualClock;
  kv?: Pick<KvStore, "get" | "set">;
}

function setup({ withHermes = false, clock = createManualClock(), kv = createMemoryStore(clock) }: Rig = {}) {
  const jupiter = createJupiter({ baseUrl: jup.url, timeoutMs: 20_000, clock });
  const hermes = createHermes({ baseUrl: pyth.url, apiKey: "bearer-key", timeoutMs: 20_000, clock });
  const notices: string[] = [];
  const feedWithHermes = createPriceFeed({
    jupiter: withBudget(UNLIMITED, jupiter),
    clock,
    kv,
    bounds: DEFAULT_PRICE_BOUNDS,
    notice: (answerText) => notices.push(answerText),
    ...(withHermes && { hermes }),
  });
  const stagePyth = (changes: Partial<Record<AssetSymbol, Reference>> = {}, without: AssetSymbol[] = []) => {
    const units = (usd: number) => String(Math.round(usd * 1e8));
    const parsed = ASSET_SYMBOLS.filter((symbol) => !without.includes(symbol)).map((symbol) => {
      const { usd, conf = usd / 1000, ageSeconds = 1 } = changes[symbol] ?? { usd: USD[symbol] };
      const publish_time = Math.floor(clock.now() / 1000) - ageSeconds;
      return { id: PYTH_FEEDS[symbol], price: { price: units(usd), conf: units(conf), expo: -8, publish_time } };
    });
    pyth.stage = answerJson({ binary: { encoding: "hex", data: [] }, parsed });
  };
  return { clock, feed: scopeToCaller(SERVICE, feedWithHermes), kv, notices, stagePyth };
}

describe("readCurrent", () => {
  test("returns every asset with the time and source of the reading", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    expect(await feed.readCurrent()).toEqual({
      usd: USD,
      fetchedAt: clock.now(),
      source: "jupiter",
      doubts: {},
      secondSource: null,
    });
  });

  test("makes 1 call in 30 s for 500 concurrent reads", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    await Promise.all(Array.from({ length: 500 }, () => feed.readCurrent()));
    await clock.advance(29_999);
    await feed.readCurrent();
    expect(jup.requests).toHaveLength(1);
    await clock.advance(1);
    await Promise.all(Array.from({ length: 500 }, () => feed.readCurrent()));
    expect(jup.requests).toHaveLength(2);
  });

  test("serves the last prices for 5 minutes while the source fails, then throws price_stale", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    const first = await feed.readCurrent();
    jup.stage = DOWN;
    await clock.advance(300_000);
    expect(await feed.readCurrent()).toEqual(first);
    await clock.advance(1);
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "price_stale", details: { retryAfterSeconds: 2 } });
    jup.stage = jupiterPrices({ SOL: 201 });
    await clock.advance(2_000);
    expect((await feed.readCurrent()).usd.SOL).toBe(201);
  });

  test("reads the source again after the clock is set back, instead of serving the old price", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed, kv } = setup();
    await feed.readCurrent();
    await clock.advance(-3_600_000);
    jup.stage = DOWN;
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "price_stale" });
    await expect(setup({ clock, kv }).feed.readCurrent()).rejects.toMatchObject({ code: "price_stale" });
    await clock.advance(-3_600_000);
    jup.stage = jupiterPrices({ SOL: 201 });
    expect(await feed.readCurrent()).toMatchObject({ usd: { SOL: 201 }, fetchedAt: clock.now() });
  });

  test("waits only once, for 2 s, for a hanging source while the last prices are young", async () => {
    const clock = createManualClock();
    const answer = () =>
      Promise.resolve(Object.fromEntries(ASSET_SYMBOLS.map((symbol) => [ASSETS[symbol].mint, { usd: USD[symbol] }])));
    let prices = answer;
    const jupiter = withBudget(UNLIMITED, { readPrices: () => prices() });
    const options = { jupiter, clock, kv: createMemoryStore(clock), bounds: DEFAULT_PRICE_BOUNDS, notice: () => {} };
    const feed = scopeToCaller(SERVICE, createPriceFeed(options));
    const first = await feed.readCurrent();
    await clock.advance(31_000);
    let callCount = 0;
    let fail = (_error: AppError) => {};
    prices = () => {
      callCount++;
      return new Promise((_resolve, reject) => {
        fail = reject;
      });
    };
    const pendingRead = feed.readCurrent();
    await clock.advance(2_000);
    expect([await pendingRead, await feed.readCurrent(), callCount]).toEqual([first, first, 1]);
    // Older prices cannot be used to build, so callers wait for new ones.
    fail(new AppError("upstream_timeout"));
    await clock.advance(28_000);
    let isAnswered = false;
    const slowRead = feed.readCurrent().finally(() => {
      isAnswered = true;
    });
    await clock.advance(4_000);
    expect(isAnswered).toBe(false);
    prices = answer;
    fail(new AppError("upstream_timeout"));
    expect([await slowRead, callCount]).toEqual([first, 2]);
    await clock.advance(2_000);
    expect((await feed.readCurrent()).fetchedAt).toBe(clock.now());
  });

  test("throws the source's own error when there never was a price", async () => {
    jup.stage = DOWN;
    const { feed } = setup();
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("does not call the source for 2 s after a failed refresh", async () => {
    jup.stage = DOWN;
    const { clock, feed } = setup();
    await Promise.allSettled(Array.from({ length: 500 }, () => feed.readCurrent()));
    await clock.advance(1_999);
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(jup.requests).toHaveLength(1);
    await clock.advance(1);
    jup.stage = jupiterPrices();
    await feed.readCurrent();
    expect(jup.requests).toHaveLength(2);

    jup.stage = DOWN;
    await clock.advance(30_000);
    for (let read = 0; read < 5; read++) await feed.readCurrent();
    expect(jup.requests).toHaveLength(3);
  });

  test.each([
    ["missing", undefined],
    ["zero", 0],
    ["negative", -1],
    ["text", "200"],
    ["next to nothing", 5e-7],
    ["beyond every number", 1e308],
    ["a hundred times too low", 1.5],
    ["a million times too high", 1e9],
  ])("fails the refresh when SOL's price is %s", async (_what, price) => {
    jup.stage = jupiterPrices({ SOL: price });
    await expect(setup().feed.readCurrent()).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test.each([
    ["missing", undefined],
    ["zero", 0],
    ["out of its bounds", 40],
  ])("omits ETH alone when its price is %s", async (_what, price) => {
    jup.stage = jupiterPrices({ ETH: price });
    const { ETH: _, ...otherPrices } = USD;
    expect(await setup().feed.readCurrent()).toMatchObject({ usd: otherPrices, doubts: {} });
  });
});

describe("jumps and restarts, without a second source", () => {
  test("blocks builds of one asset alone after a jump above 20 %", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    await feed.readCurrent();
    await clock.advance(30_000);
    jup.stage = jupiterPrices({ SOL: 240, ETH: 3_200 });
    expect(await feed.readCurrent()).toMatchObject({ usd: { SOL: 240, ETH: 3_200 }, doubts: {} });
    await clock.advance(30_000);
    jup.stage = jupiterPrices({ SOL: 191.9, ETH: 3_200 });
    expect(await feed.readCurrent()).toMatchObject({ usd: { SOL: 191.9 }, doubts: { SOL: "jumped" } });
  });

  const JUMPED = { SOL: "jumped" };

  test.each([
    ["is accepted once three reads over 90 s match", 30_000, [300, 300, 300, 300], [JUMPED, JUMPED, JUMPED, {}]],
    ["is not accepted after two matching reads, however far apart", 120_000, [300, 300, 300], [JUMPED, JUMPED, {}]],
    [
      "that ends within 90 s is dropped as a glitch, and a new jump starts over",
      30_000,
      [20, 20, 30, 30, 30, 200, 30],
      [JUMPED, JUMPED, JUMPED, JUMPED, JUMPED, {}, JUMPED],
    ],
  ])("a jump %s", async (_what, pauseMs, prices, doubts) => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    await feed.readCurrent();
    const doubtsByReading = [];
    for (const SOL of prices) {
      jup.stage = jupiterPrices({ SOL });
      await clock.advance(pauseMs);
      doubtsByReading.push((await feed.readCurrent()).doubts);
    }
    expect(doubtsByReading).toEqual(doubts);
  });

  test("detects a jump after a restart", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed, kv } = setup();
    await feed.readCurrent();
    jup.stage = jupiterPrices({ SOL: 20 });
    for (let restart = 0; restart < 3; restart++) {
      await clock.advance(30_000);
      expect((await setup({ clock, kv }).feed.readCurrent()).doubts).toEqual({ SOL: "jumped" });
    }
    await clock.advance(30_000);
    expect((await setup({ clock, kv }).feed.readCurrent()).doubts).toEqual({});
  });

  test("blocks builds in a fresh process while the store is down, but not in one that knows the last prices", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed, kv } = setup();
    let failing = true;
    const shaky: Pick<KvStore, "get" | "set"> = {
      get: async (key) => (failing ? Promise.reject(new AppError("upstream_unavailable")) : kv.get(key)),
      set: async (...entry) => (failing ? Promise.reject(new AppError("upstream_timeout")) : kv.set(...entry)),
    };
    const newFeed = setup({ clock, kv: shaky }).feed;
    expect(await newFeed.readCurrent()).toMatchObject({ usd: USD, doubts: { SOL: "unchecked", BTC: "unchecked" } });
    failing = false;
    await clock.advance(5_000);
    expect((await newFeed.readCurrent()).doubts).toEqual({});
    failing = true;
    jup.stage = jupiterPrices({ SOL: 20 });
    await clock.advance(30_000);
    expect((await newFeed.readCurrent()).doubts).toEqual({ SOL: "jumped" });
    expect((await feed.readCurrent()).doubts).toEqual({ SOL: "jumped" });
  });

  test("serves the last good prices for 5 minutes after a restart while the source fails", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed, kv } = setup();
    const { fetchedAt } = await feed.readCurrent();
    jup.stage = DOWN;
    await clock.advance(300_000);
    expect(await setup({ clock, kv }).feed.readCurrent()).toMatchObject({ usd: USD, fetchedAt });
    await clock.advance(1);
    await expect(setup({ clock, kv }).feed.readCurrent()).rejects.toMatchObject({ code: "price_stale" });
  });
});

describe("with Pyth as second source", () => {
  test("marks prices that agree with Pyth", async () => {
    jup.stage = jupiterPrices();
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    expect(await feed.readCurrent()).toMatchObject({
      usd: USD,
      source: "jupiter+pyth",
      doubts: {},
      secondSource: "answers",
    });
    expect(pyth.requests[0]).toMatchObject({ path: "/v2/updates/price/latest" });
    expect(pyth.requests[0]!.headers.authorization).toBe("Bearer bearer-key");
    expect(pyth.requests[0]!.query.getAll("ids[]")).toEqual(Object.values(PYTH_FEEDS));
  });

  test.each([
    ["SOL 1.9 % apart", { SOL: { usd: 200 / 1.019 } }, true],
    ["SOL 2.1 % apart", { SOL: { usd: 200 / 1.021 } }, false],
    ["USDC 0.9 % apart", { USDC: { usd: 1 / 1.009 } }, true],
    ["USDC 1.1 % apart", { USDC: { usd: 1 / 1.011 } }, false],
    ["60 s old", { ETH: { usd: 4_000, ageSeconds: 60 } }, true],
    ["61 s old", { ETH: { usd: 4_000, ageSeconds: 61 } }, false],
    ["from the future", { ETH: { usd: 4_000, ageSeconds: -61 } }, false],
    ["1 % uncertain", { BTC: { usd: 100_000, conf: 1_000 } }, true],
    ["1.1 % uncertain", { BTC: { usd: 100_000, conf: 1_100 } }, false],
    ["zero", { BTC: { usd: 0 } }, false],
    ["negative", { BTC: { usd: -100_000 } }, false],
  ])("takes a reference price that is %s as agreement: %s", async (what, changes, agreed) => {
    jup.stage = jupiterPrices();
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth(changes as Partial<Record<AssetSymbol, Reference>>);
    const doubts = agreed ? {} : { [Object.keys(changes)[0]!]: "disputed" };
    expect(await feed.readCurrent(), what).toMatchObject({ usd: USD, source: "jupiter+pyth" });
    expect((await feed.readCurrent()).doubts).toEqual(doubts);
  });

  test("accepts a jump at once only if Pyth confirms it", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    await feed.readCurrent();
    await clock.advance(30_000);
    jup.stage = jupiterPrices({ SOL: 300 });
    stagePyth({ SOL: { usd: 300 } });
    expect((await feed.readCurrent()).doubts).toEqual({});
    await clock.advance(30_000);
    jup.stage = jupiterPrices({ SOL: 20 });
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
  ])("blocks builds for 60 s when Pyth is %s from the start", async (_what, stage, state, notice) => {
    jup.stage = jupiterPrices();
    pyth.stage = stage;
    const { clock, feed, kv, notices, stagePyth } = setup({ withHermes: true });
    expect(await feed.readCurrent()).toMatchObject({ usd: USD, source: "jupiter", secondSource: state });
    for (let read = 0; read < 12; read++) {
      expect((await feed.readCurrent()).doubts).toMatchObject({ SOL: "unchecked", BTC: "unchecked" });
      await clock.advance(5_000);
    }
    expect(await feed.readCurrent()).toMatchObject({ doubts: {}, secondSource: state });
    // A second instance counts the 60 s from the same start.
    expect((await setup({ withHermes: true, clock, kv }).feed.readCurrent()).doubts).toEqual({});
    await clock.advance(30_000);
    jup.stage = jupiterPrices({ SOL: 20 });
    expect((await feed.readCurrent()).doubts).toEqual({ SOL: "jumped" });
    expect(notices).toEqual([expect.stringMatching(notice)]);
    jup.stage = jupiterPrices();
    stagePyth();
    await clock.advance(30_000);
    expect(await feed.readCurrent()).toMatchObject({ doubts: {}, secondSource: "answers" });
    expect(notices[1]).toMatch(/answers again/);
  });

  test("uses Pyth's last prices for a minute after it stops answering, then the first source's rules", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    await feed.readCurrent();
    pyth.stage = DOWN;
    for (const secondSource of ["answers", "silent", "silent", "silent"]) {
      await clock.advance(30_000);
      expect(await feed.readCurrent()).toMatchObject({ usd: USD, doubts: {}, secondSource });
    }
  });

  test("keeps a price denied for a minute after Pyth stops answering", async () => {
    jup.stage = jupiterPrices({ SOL: 220 });
    const { clock, feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    expect((await feed.readCurrent()).doubts).toEqual({ SOL: "disputed" });
    pyth.stage = DOWN;
    await clock.advance(55_000);
    expect((await feed.readCurrent()).doubts).toEqual({ SOL: "disputed" });
  });

  test("doubts only the asset whose feed is missing", async () => {
    jup.stage = jupiterPrices();
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth({}, ["ETH"]);
    expect(await feed.readCurrent()).toMatchObject({ usd: USD, doubts: { ETH: "unchecked" }, secondSource: "answers" });
  });

  test("fails the refresh when Jupiter is down, whatever Pyth answers", async () => {
    jup.stage = DOWN;
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    await expect(feed.readCurrent()).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("readMints", () => {
  test("omits an impossible price", async () => {
    jup.stage = answerJson({
      a: { usdPrice: 1e308 },
      b: { usdPrice: 1e12 },
      c: { usdPrice: 1e9 },
      d: { usdPrice: 1e-12 },
    });
    expect(await setup().feed.readMints(["a", "b", "c", "d"])).toEqual({ a: null, b: null, c: 1e9, d: 1e-12 });
  });

  const dollars: Stage = (request, response) => {
    const mints = request.query.get("ids")!.split(",");
    const priced = mints.filter((mint) => !mint.startsWith("unpriced"));
    answerJson(Object.fromEntries(priced.map((mint) => [mint, { usdPrice: 2 }])))(request, response);
  };
  const names = (count: number, prefix = "mint") => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  test("caches the absence of a mint's price", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    for (let read = 0; read < 2; read++)
      expect(await feed.readMints(["a", "unpriced", "a"])).toEqual({ a: 2, unpriced: null });
    expect(jup.requests).toHaveLength(1);
    expect(jup.requests[0]!.query.get("ids")).toBe("a,unpriced");
  });

  test("caches each mint for 30 s", async () => {
    jup.stage = dollars;
    const { clock, feed } = setup();
    await feed.readMints(["a"]);
    await clock.advance(29_999);
    await feed.readMints(["a", "b"]);
    expect(jup.requests.map(({ query }) => query.get("ids"))).toEqual(["a", "b"]);
    await clock.advance(1);
    await feed.readMints(["a", "b"]);
    expect(jup.requests.map(({ query }) => query.get("ids"))).toEqual(["a", "b", "a"]);
  });

  test("shares calls between concurrent reads, also when their mints overlap only in part", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    const reads = Array.from({ length: 500 }, (_, index) => feed.readMints(index % 2 ? ["a", "b"] : ["b", "c"]));
    expect((await Promise.all(reads)).slice(0, 2)).toEqual([
      { b: 2, c: 2 },
      { a: 2, b: 2 },
    ]);
    expect(jup.requests.map(({ query }) => query.get("ids")).sort()).toEqual(["a", "b,c"]);
  });

  test("requests at most 50 mints in one call", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    for (const expectedCount of [50, 100, 120, 120])
      expect(Object.keys(await feed.readMints(names(120)))).toHaveLength(expectedCount);
    expect(jup.requests.map(({ query }) => query.get("ids")!.split(",").length)).toEqual([50, 50, 20]);
  });

  test("returns nothing for 2 s after the source has failed", async () => {
    jup.stage = DOWN;
    const { clock, feed } = setup();
    expect(await feed.readMints(["a"])).toEqual({});
    jup.stage = dollars;
    expect(await feed.readMints(["a"])).toEqual({});
    expect(jup.requests).toHaveLength(1);
    await clock.advance(2_000);
    expect(await feed.readMints(["a"])).toEqual({ a: 2 });
  });

  test("drops the oldest mints above 5,000", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    for (let wallet = 0; wallet < 101; wallet++) await feed.readMints(names(50, `w${wallet}-`));
    expect(jup.requests).toHaveLength(101);
    await feed.readMints(names(50, "w100-"));
    expect(jup.requests).toHaveLength(101);
    await feed.readMints(names(50, "w0-"));
    expect(jup.requests).toHaveLength(102);
  });
});
