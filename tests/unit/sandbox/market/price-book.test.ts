import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSET_SYMBOLS, type AssetSymbol } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { DAY_MS } from "../../../../lib/domain/time";
import { createPriceBook, DEFAULT_PRICES_USD, WALK_STEP_MS } from "../../../../lib/sandbox/market/price-book";

const seed = new Uint8Array(32).fill(7);
const START = Date.UTC(2026, 9, 1);
const createFixed = (time = START) => createPriceBook({ mode: "fixed", seed, now: () => time });
const createWalk = (time: number, walkSeed = seed) =>
  createPriceBook({ mode: "walk", seed: walkSeed, now: () => time });
const anyTime = fc.integer({ min: START, max: START + 400 * DAY_MS });
const isStablecoin = (asset: AssetSymbol) => asset === "USDC" || asset === "USDT";
const anySymbol = fc.constantFrom(...ASSET_SYMBOLS);

describe("fixed prices", () => {
  test("are the defaults in micro-dollars at any time", () => {
    for (const time of [0, START]) {
      const prices = createFixed(time);
      expect(prices.getMicroUsd("SOL")).toBe(150_000_000n);
      expect(prices.getMicroUsd("BTC")).toBe(100_000_000_000n);
      expect(prices.getMicroUsd("USDC")).toBe(1_000_000n);
      expect(prices.computeChange24hPercent("BTC")).toBe(0);
    }
  });

  test("are the same on every past day", () => {
    const prices = createFixed();
    expect(prices.listDailyPrices(START / DAY_MS - 2, 3).BTC).toEqual([100_000, 100_000, 100_000]);
  });

  test("are replaced by setPrice until it is called with null", () => {
    const prices = createFixed();
    prices.setPrice("SOL", 165.5);
    expect(prices.getMicroUsd("SOL")).toBe(165_500_000n);
    expect(prices.computeChange24hPercent("SOL")).toBeCloseTo(10.333, 3);
    prices.setPrice("SOL", null);
    expect(prices.getMicroUsd("SOL")).toBe(150_000_000n);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-9])("refuse %s as a price", (usd) => {
    expect(() => createFixed().setPrice("SOL", usd)).toThrow(RangeError);
  });
});

describe("walking prices", () => {
  /** Returns the walking price as a share of the default price. */
  const computeShare = (time: number, asset: AssetSymbol, walkSeed = seed) =>
    Number(createWalk(time, walkSeed).getMicroUsd(asset)) / 1e6 / DEFAULT_PRICES_USD[asset];

  const anySeed = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test("stay within half of the allowed price bounds, stablecoins within 0.1 %, for any seed over decades", () => {
    const anyTimeWithinDecades = fc.integer({ min: START - 20 * 365 * DAY_MS, max: START + 20 * 365 * DAY_MS });
    fc.assert(
      fc.property(anySeed, anyTimeWithinDecades, anySymbol, (walkSeed, time, asset) => {
        const usd = computeShare(time, asset, walkSeed) * DEFAULT_PRICES_USD[asset];
        const { min, max } = DEFAULT_PRICE_BOUNDS[asset];
        expect(usd).toBeGreaterThanOrEqual(isStablecoin(asset) ? 0.999 - 1e-6 : 2 * min);
        expect(usd).toBeLessThanOrEqual(isStablecoin(asset) ? 1.001 + 1e-6 : max / 2);
      }),
    );
  });

  test("are within a quarter of the defaults in the first three days, for any seed", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: 0, max: 3 * DAY_MS }), anySymbol, (walkSeed, laterMs, asset) => {
        // At most 5 % by the periods of up to a day, and 18 % by those of weeks and years.
        expect(Math.abs(computeShare(START + laterMs, asset, walkSeed) - 1)).toBeLessThan(0.25);
      }),
    );
  });

  test("of past years change by 1 to 6 % on a typical day and by less than 20 % on any, stablecoins by less than 0.2 %", () => {
    const firstDay = START / DAY_MS - 1_825;
    const history = createWalk(START).listDailyPrices(firstDay, 1_826);
    for (const asset of ASSET_SYMBOLS) {
      const dailyPrices = history[asset];
      expect(dailyPrices).toHaveLength(1_826);
      expect(dailyPrices.at(-1)).toBe(Number(createWalk(START).getMicroUsd(asset)) / 1e6);
      // Any past day has the price that the walk shows at its start.
      expect(dailyPrices[500]).toBe(Number(createWalk((firstDay + 500) * DAY_MS).getMicroUsd(asset)) / 1e6);
      const dailyMoves = dailyPrices.slice(1).map((usd, i) => Math.log(usd / dailyPrices[i]!));
      const dailyVolatility = Math.sqrt(dailyMoves.reduce((sum, move) => sum + move * move, 0) / dailyMoves.length);
      expect(Math.max(...dailyMoves.map(Math.abs))).toBeLessThan(isStablecoin(asset) ? 0.002 : 0.2);
      if (!isStablecoin(asset)) expect(dailyVolatility).toBeGreaterThan(0.01);
      if (!isStablecoin(asset)) expect(Math.max(...dailyPrices) / Math.min(...dailyPrices)).toBeGreaterThan(1.4);
      expect(dailyVolatility).toBeLessThan(0.06);
    }
  });

  test("depend only on the seed and the time step", () => {
    fc.assert(
      fc.property(anyTime, anySymbol, (time, asset) => {
        const stepStart = time - (time % WALK_STEP_MS);
        expect(createWalk(time).getMicroUsd(asset)).toBe(createWalk(stepStart).getMicroUsd(asset));
      }),
    );
    expect(computeShare(START, "SOL")).not.toBe(computeShare(START, "SOL", new Uint8Array(32)));
  });

  test("move by less than 0.4 % within a minute", () => {
    fc.assert(
      fc.property(anyTime, fc.integer({ min: 0, max: 60_000 }), anySymbol, (time, laterMs, asset) => {
        expect(Math.abs(computeShare(time + laterMs, asset) / computeShare(time, asset) - 1)).toBeLessThan(0.004);
      }),
    );
  });

  test("change almost every hour, and differently for two coins", () => {
    const hourStarts = Array.from({ length: 24 }, (_, hour) => START + hour * 3_600_000);
    expect(new Set(hourStarts.map((time) => computeShare(time, "SOL"))).size).toBeGreaterThan(20);
    expect(hourStarts.map((time) => computeShare(time, "SOL"))).not.toEqual(
      hourStarts.map((time) => computeShare(time, "BTC")),
    );
  });

  test("follow the clock, except for a price that setPrice holds", () => {
    let time = START;
    const prices = createPriceBook({ mode: "walk", seed, now: () => time });
    prices.setPrice("BTC", 90_000);
    const solBefore = prices.getMicroUsd("SOL");
    time += 3_600_000;
    expect(prices.getMicroUsd("SOL")).not.toBe(solBefore);
    expect(prices.getMicroUsd("BTC")).toBe(90_000_000_000n);
    expect(Number.isFinite(prices.computeChange24hPercent("SOL"))).toBe(true);
  });
});
