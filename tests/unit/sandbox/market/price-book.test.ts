import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSET_SYMBOLS } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { createPrices, DEFAULT_PRICES_USD, WALK_STEP_MS } from "../../../../lib/sandbox/market/price-book";

const seed = new Uint8Array(32).fill(7);
const START = Date.UTC(2026, 9, 1);
const walkAt = (time: number, from = seed) => createPrices({ mode: "walk", seed: from, now: () => time });
const moment = fc.integer({ min: START, max: START + 400 * 86_400_000 });
const symbol = fc.constantFrom(...ASSET_SYMBOLS);

describe("fixed prices", () => {
  test("are the defaults in micro-dollars at any time", () => {
    for (const time of [0, START]) {
      const prices = createPrices({ mode: "fixed", seed, now: () => time });
      expect(prices.getMicroUsd("SOL")).toBe(150_000_000n);
      expect(prices.getMicroUsd("BTC")).toBe(100_000_000_000n);
      expect(prices.getMicroUsd("USDC")).toBe(1_000_000n);
      expect(prices.change24h("BTC")).toBe(0);
    }
  });

  test("are held by set and released by null", () => {
    const prices = createPrices({ mode: "fixed", seed, now: () => START });
    prices.set("SOL", 165.5);
    expect(prices.getMicroUsd("SOL")).toBe(165_500_000n);
    expect(prices.change24h("SOL")).toBeCloseTo(10.333, 3);
    prices.set("SOL", null);
    expect(prices.getMicroUsd("SOL")).toBe(150_000_000n);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-9])("refuse %s as a price", (usd) => {
    expect(() => createPrices({ mode: "fixed", seed, now: () => START }).set("SOL", usd)).toThrow(RangeError);
  });
});

describe("walking prices", () => {
  const share = (time: number, of: (typeof ASSET_SYMBOLS)[number], from = seed) =>
    Number(walkAt(time, from).getMicroUsd(of)) / 1e6 / DEFAULT_PRICES_USD[of];

  const DAY = 86_400_000;
  const anySeed = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test("stay within half of the allowed price bounds, stablecoins within 0.1 %, for any seed over decades", () => {
    const decades = fc.integer({ min: START - 20 * 365 * DAY, max: START + 20 * 365 * DAY });
    fc.assert(
      fc.property(anySeed, decades, symbol, (from, time, of) => {
        const usd = share(time, of, from) * DEFAULT_PRICES_USD[of];
        const pegged = of === "USDC" || of === "USDT";
        const { min, max } = DEFAULT_PRICE_BOUNDS[of];
        expect(usd).toBeGreaterThanOrEqual(pegged ? 0.999 - 1e-6 : 2 * min);
        expect(usd).toBeLessThanOrEqual(pegged ? 1.001 + 1e-6 : max / 2);
      }),
    );
  });

  test("are within a quarter of the defaults in the first three days, for any seed", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: 0, max: 3 * DAY }), symbol, (from, laterMs, of) => {
        // At most 5 % by the periods of up to a day, and 18 % by those of weeks and years.
        expect(Math.abs(share(START + laterMs, of, from) - 1)).toBeLessThan(0.25);
      }),
    );
  });

  test("have years of history as volatile as a market, without jumps", () => {
    const firstDay = START / DAY - 1_825;
    const days = walkAt(START).listDaily(firstDay, 1_826);
    for (const of of ASSET_SYMBOLS) {
      const list = days[of];
      expect(list).toHaveLength(1_826);
      expect(list.at(-1)).toBe(Number(walkAt(START).getMicroUsd(of)) / 1e6);
      expect(list[500]).toBe(Number(walkAt((firstDay + 500) * DAY).getMicroUsd(of)) / 1e6);
      const moves = list.slice(1).map((usd, i) => Math.log(usd / list[i]!));
      const daily = Math.sqrt(moves.reduce((sum, move) => sum + move * move, 0) / moves.length);
      const pegged = of === "USDC" || of === "USDT";
      expect(Math.max(...moves.map(Math.abs))).toBeLessThan(pegged ? 0.002 : 0.2);
      if (!pegged) expect(daily).toBeGreaterThan(0.01);
      if (!pegged) expect(Math.max(...list) / Math.min(...list)).toBeGreaterThan(1.4);
      expect(daily).toBeLessThan(0.06);
    }
  });

  test("are constant over the years when fixed", () => {
    const fixed = createPrices({ mode: "fixed", seed, now: () => START });
    expect(fixed.listDaily(START / DAY - 2, 3).BTC).toEqual([100_000, 100_000, 100_000]);
  });

  test("depend on the seed and the time step only", () => {
    fc.assert(
      fc.property(moment, symbol, (time, of) => {
        const stepped = time - (time % WALK_STEP_MS);
        expect(walkAt(time).getMicroUsd(of)).toBe(walkAt(stepped).getMicroUsd(of));
      }),
    );
    expect(share(START, "SOL")).not.toBe(share(START, "SOL", new Uint8Array(32)));
  });

  test("move by less than 0.4 % within a minute", () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 60_000 }), symbol, (time, laterMs, of) => {
        expect(Math.abs(share(time + laterMs, of) / share(time, of) - 1)).toBeLessThan(0.004);
      }),
    );
  });

  test("change differently for two coins during a day", () => {
    const hours = Array.from({ length: 24 }, (_, hour) => START + hour * 3_600_000);
    expect(new Set(hours.map((time) => share(time, "SOL"))).size).toBeGreaterThan(20);
    expect(hours.map((time) => share(time, "SOL"))).not.toEqual(hours.map((time) => share(time, "BTC")));
  });

  test("follow the clock and leave a held price alone", () => {
    let time = START;
    const prices = createPrices({ mode: "walk", seed, now: () => time });
    prices.set("BTC", 90_000);
    const before = prices.getMicroUsd("SOL");
    time += 3_600_000;
    expect(prices.getMicroUsd("SOL")).not.toBe(before);
    expect(prices.getMicroUsd("BTC")).toBe(90_000_000_000n);
    expect(Number.isFinite(prices.change24h("SOL"))).toBe(true);
  });
});
