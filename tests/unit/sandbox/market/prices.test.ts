import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSET_SYMBOLS } from "../../../../lib/domain/assets";
import {
  createPrices,
  DEFAULT_PRICES_USD,
  STABLE_WALK_BOUND,
  WALK_BOUND,
  WALK_STEP_MS,
} from "../../../../lib/sandbox/market/prices";

const seed = new Uint8Array(32).fill(7);
const START = Date.UTC(2026, 9, 1);
const walkAt = (time: number, from = seed) => createPrices({ mode: "walk", seed: from, now: () => time });
const moment = fc.integer({ min: START, max: START + 400 * 86_400_000 });
const symbol = fc.constantFrom(...ASSET_SYMBOLS);

describe("fixed prices", () => {
  test("are the defaults in micro-dollars, whatever the time", () => {
    for (const time of [0, START]) {
      const prices = createPrices({ mode: "fixed", seed, now: () => time });
      expect(prices.microUsd("SOL")).toBe(150_000_000n);
      expect(prices.microUsd("BTC")).toBe(100_000_000_000n);
      expect(prices.microUsd("USDC")).toBe(1_000_000n);
      expect(prices.change24h("BTC")).toBe(0);
    }
  });

  test("set holds a price, null lets go of it, and the change is against the day before", () => {
    const prices = createPrices({ mode: "fixed", seed, now: () => START });
    prices.set("SOL", 165.5);
    expect(prices.microUsd("SOL")).toBe(165_500_000n);
    expect(prices.change24h("SOL")).toBeCloseTo(10.333, 3);
    prices.set("SOL", null);
    expect(prices.microUsd("SOL")).toBe(150_000_000n);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-9])("refuse %s as a price", (usd) => {
    expect(() => createPrices({ mode: "fixed", seed, now: () => START }).set("SOL", usd)).toThrow(RangeError);
  });
});

describe("walking prices", () => {
  const share = (time: number, of: (typeof ASSET_SYMBOLS)[number], from = seed) =>
    Number(walkAt(time, from).microUsd(of)) / 1e6 / DEFAULT_PRICES_USD[of];

  test("stay within 5 % of the default, those pegged to the dollar within 0.1 %, for any seed and time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), moment, symbol, (from, time, of) => {
        const bound = of === "USDC" || of === "USDT" ? STABLE_WALK_BOUND : WALK_BOUND;
        expect(Math.abs(share(time, of, from) - 1)).toBeLessThanOrEqual(bound + 1e-6);
      }),
    );
  });

  test("are a function of seed and time step: the same in another process, and within a step", () => {
    fc.assert(
      fc.property(moment, symbol, (time, of) => {
        const stepped = time - (time % WALK_STEP_MS);
        expect(walkAt(time).microUsd(of)).toBe(walkAt(stepped).microUsd(of));
      }),
    );
    expect(share(START, "SOL")).not.toBe(share(START, "SOL", new Uint8Array(32)));
  });

  test("move gently: within a minute by less than 0.4 %", () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 60_000 }), symbol, (time, later, of) => {
        expect(Math.abs(share(time + later, of) / share(time, of) - 1)).toBeLessThan(0.004);
      }),
    );
  });

  test("do move: a day's steps differ, and two coins do not move together", () => {
    const hours = Array.from({ length: 24 }, (_, hour) => START + hour * 3_600_000);
    expect(new Set(hours.map((time) => share(time, "SOL"))).size).toBeGreaterThan(20);
    expect(hours.map((time) => share(time, "SOL"))).not.toEqual(hours.map((time) => share(time, "BTC")));
  });

  test("follow the clock and leave a held price alone", () => {
    let time = START;
    const prices = createPrices({ mode: "walk", seed, now: () => time });
    prices.set("BTC", 90_000);
    const before = prices.microUsd("SOL");
    time += 3_600_000;
    expect(prices.microUsd("SOL")).not.toBe(before);
    expect(prices.microUsd("BTC")).toBe(90_000_000_000n);
    expect(Number.isFinite(prices.change24h("SOL"))).toBe(true);
  });
});
