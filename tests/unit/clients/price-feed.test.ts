import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHermes, PYTH_FEEDS } from "../../../lib/clients/hermes";
import { createJupiter } from "../../../lib/clients/jupiter";
import { createPriceFeed } from "../../../lib/clients/price-feed";
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../../lib/domain/assets";
import { manualClock } from "../../support/manual-clock";
import { json, type Stage, type StagedServer, stagedServer, text } from "../../support/staged-server";

const USD: Record<AssetSymbol, number> = { BTC: 100_000, ETH: 4_000, SOL: 200, USDC: 1, USDT: 0.9995 };
const DOWN = text("secret-token", 500);
let jup: StagedServer;
let pyth: StagedServer;

beforeAll(async () => {
  [jup, pyth] = await Promise.all([stagedServer(), stagedServer()]);
});
afterAll(() => Promise.all([jup.close(), pyth.close()]));
beforeEach(() => {
  jup.seen.length = 0;
  pyth.seen.length = 0;
});

const jupiterPrices = (changes: Partial<Record<AssetSymbol, unknown>> = {}): Stage =>
  json(
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

function setup({ withHermes = false } = {}) {
  const clock = manualClock();
  const jupiter = createJupiter({ baseUrl: jup.url, timeoutMs: 2000, clock });
  const hermes = createHermes({ baseUrl: pyth.url, apiKey: "bearer-key", timeoutMs: 2000, clock });
  const feed = createPriceFeed({ jupiter, clock, hermes: withHermes ? hermes : undefined });
  const stagePyth = (changes: Partial<Record<AssetSymbol, Reference>> = {}) => {
    const units = (usd: number) => String(Math.round(usd * 1e8));
    const parsed = ASSET_SYMBOLS.map((symbol) => {
      const { usd, conf = usd / 1000, ageSeconds = 1 } = changes[symbol] ?? { usd: USD[symbol] };
      const publish_time = Math.floor(clock.now() / 1000) - ageSeconds;
      return { id: PYTH_FEEDS[symbol], price: { price: units(usd), conf: units(conf), expo: -8, publish_time } };
    });
    pyth.stage = json({ binary: { encoding: "hex", data: [] }, parsed });
  };
  return { clock, feed, stagePyth };
}

describe("current", () => {
  test("every asset, when it was read and from where", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    expect(await feed.current()).toEqual({ usd: USD, fetchedAt: clock.now(), source: "jupiter", agreed: true });
  });

  test("500 concurrent reads cost 1 call, and one more only after 30 s", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    await Promise.all(Array.from({ length: 500 }, () => feed.current()));
    await clock.advance(29_999);
    await feed.current();
    expect(jup.seen).toHaveLength(1);
    await clock.advance(1);
    await Promise.all(Array.from({ length: 500 }, () => feed.current()));
    expect(jup.seen).toHaveLength(2);
  });

  test("while the source fails: the last prices up to 5 minutes, then price_stale", async () => {
    jup.stage = jupiterPrices();
    const { clock, feed } = setup();
    const first = await feed.current();
    jup.stage = DOWN;
    await clock.advance(300_000);
    expect(await feed.current()).toEqual(first);
    await clock.advance(1);
    await expect(feed.current()).rejects.toMatchObject({ code: "price_stale", details: { retryAfterSeconds: 2 } });
    jup.stage = jupiterPrices({ SOL: 201 });
    await clock.advance(2_000);
    expect((await feed.current()).usd.SOL).toBe(201);
  });

  test("the source's own error when there never was a price", async () => {
    jup.stage = DOWN;
    const { feed } = setup();
    await expect(feed.current()).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("after a failed refresh nobody asks for 2 s, with a price or without", async () => {
    jup.stage = DOWN;
    const { clock, feed } = setup();
    await Promise.allSettled(Array.from({ length: 500 }, () => feed.current()));
    await clock.advance(1_999);
    await expect(feed.current()).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(jup.seen).toHaveLength(1);
    await clock.advance(1);
    jup.stage = jupiterPrices();
    await feed.current();
    expect(jup.seen).toHaveLength(2);

    jup.stage = DOWN;
    await clock.advance(30_000);
    for (let read = 0; read < 5; read++) await feed.current();
    expect(jup.seen).toHaveLength(3);
  });

  test.each([
    ["missing", undefined],
    ["zero", 0],
    ["negative", -1],
    ["text", "200"],
  ])("one price that is %s fails the refresh; it never becomes 0", async (_what, bad) => {
    jup.stage = jupiterPrices({ SOL: bad });
    await expect(setup().feed.current()).rejects.toMatchObject({ code: "upstream_invalid" });
  });
});

describe("with Pyth as second source", () => {
  test("agreeing, and asked with the bearer key for the five feeds", async () => {
    jup.stage = jupiterPrices();
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    expect(await feed.current()).toMatchObject({ usd: USD, source: "jupiter+pyth", agreed: true });
    expect(pyth.seen[0]).toMatchObject({ path: "/v2/updates/price/latest" });
    expect(pyth.seen[0]!.headers.authorization).toBe("Bearer bearer-key");
    expect(pyth.seen[0]!.query.getAll("ids[]")).toEqual(Object.values(PYTH_FEEDS));
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
  ])("%s: agreed is %s", async (_what, changes, agreed) => {
    jup.stage = jupiterPrices();
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth(changes as Partial<Record<AssetSymbol, Reference>>);
    expect(await feed.current()).toMatchObject({ usd: USD, source: "jupiter+pyth", agreed });
  });

  test.each([
    ["down", DOWN],
    ["of another shape", json({ parsed: [{ id: 5 }] })],
    ["without a feed", json({ parsed: [] })],
  ])("Pyth %s: the prices still show, unagreed, and are asked again after 5 s", async (_what, stage) => {
    jup.stage = jupiterPrices();
    pyth.stage = stage;
    const { clock, feed, stagePyth } = setup({ withHermes: true });
    expect(await feed.current()).toMatchObject({ usd: USD, source: "jupiter", agreed: false });
    stagePyth();
    await clock.advance(4_999);
    expect((await feed.current()).agreed).toBe(false);
    await clock.advance(1);
    expect((await feed.current()).agreed).toBe(true);
  });

  test("Jupiter down fails the refresh, whatever Pyth says", async () => {
    jup.stage = DOWN;
    const { feed, stagePyth } = setup({ withHermes: true });
    stagePyth();
    await expect(feed.current()).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("ofMints", () => {
  const dollars: Stage = (request, response) => {
    const mints = request.query.get("ids")!.split(",");
    const priced = mints.filter((mint) => !mint.startsWith("unpriced"));
    json(Object.fromEntries(priced.map((mint) => [mint, { usdPrice: 2 }])))(request, response);
  };
  const names = (count: number, prefix = "mint") => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  test("unpriced mints are absent, also on the second read, which costs no call", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    for (let read = 0; read < 2; read++) expect(await feed.ofMints(["a", "unpriced", "a"])).toEqual({ a: 2 });
    expect(jup.seen).toHaveLength(1);
    expect(jup.seen[0]!.query.get("ids")).toBe("a,unpriced");
  });

  test("each mint is kept for 30 s", async () => {
    jup.stage = dollars;
    const { clock, feed } = setup();
    await feed.ofMints(["a"]);
    await clock.advance(29_999);
    await feed.ofMints(["a", "b"]);
    expect(jup.seen.map(({ query }) => query.get("ids"))).toEqual(["a", "b"]);
    await clock.advance(1);
    await feed.ofMints(["a", "b"]);
    expect(jup.seen.map(({ query }) => query.get("ids"))).toEqual(["a", "b", "a"]);
  });

  test("concurrent reads share calls, also where their mints overlap only in part", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    const reads = Array.from({ length: 500 }, (_, index) => feed.ofMints(index % 2 ? ["a", "b"] : ["b", "c"]));
    expect((await Promise.all(reads)).slice(0, 2)).toEqual([
      { b: 2, c: 2 },
      { a: 2, b: 2 },
    ]);
    expect(jup.seen.map(({ query }) => query.get("ids")).sort()).toEqual(["a", "b,c"]);
  });

  test("50 mints a call and at most 4 calls; the rest stays unpriced", async () => {
    jup.stage = dollars;
    const priced = await setup().feed.ofMints(names(1_000));
    expect(Object.keys(priced)).toHaveLength(200);
    expect(jup.seen.map(({ query }) => query.get("ids")!.split(",").length)).toEqual([50, 50, 50, 50]);
  });

  test("a failing source prices nothing, throws nothing and is left alone for 2 s", async () => {
    jup.stage = DOWN;
    const { clock, feed } = setup();
    expect(await feed.ofMints(["a"])).toEqual({});
    jup.stage = dollars;
    expect(await feed.ofMints(["a"])).toEqual({});
    expect(jup.seen).toHaveLength(1);
    await clock.advance(2_000);
    expect(await feed.ofMints(["a"])).toEqual({ a: 2 });
  });

  test("bounded: beyond 5,000 mints the oldest are forgotten", async () => {
    jup.stage = dollars;
    const { feed } = setup();
    for (let wallet = 0; wallet < 26; wallet++) await feed.ofMints(names(200, `w${wallet}-`));
    expect(jup.seen).toHaveLength(104);
    await feed.ofMints(names(200, "w25-"));
    expect(jup.seen).toHaveLength(104);
    await feed.ofMints(names(200, "w0-"));
    expect(jup.seen).toHaveLength(108);
  });
});
