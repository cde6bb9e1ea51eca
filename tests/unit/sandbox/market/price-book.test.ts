import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSET_SYMBOLS, type AssetSymbol } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { DAY_MS } from "../../../../lib/domain/time";
import { createPriceBook, DEFAULT_PRICES_USD } from "../../../../lib/sandbox/market/price-book";

const seed = new Uint8Array(32).fill(7);
const START = Date.UTC(2026, 9, 1);
const createFixed = (time = START) => createPriceBook({ mode: "fixed", seed, now: () => time });
const createWalk = (time: number, walkSeed = seed) =>
  createPriceBook({ mode: "walk", seed: walkSeed, now: () => time });
const isStablecoin = (asset: AssetSymbol) => asset === "USDC" || asset === "USDT";
const anySymbol = fc.constantFrom(...ASSET_SYMBOLS);

describe("fixed prices", () => {
  test("are replaced by setPrice until it is called with null", () => {
    const prices = createFixed();
    prices.setPrice("SOL", 165.5);
    expect(prices.getMicroUsd("SOL")).toBe(165_500_000n);
    expect(prices.computeChange24hPercent("SOL")).toBeCloseTo(10.333, 3);
    prices.setPrice("SOL", null);
    expect(prices.getMicroUsd("SOL")).toBe(150_000_000n);
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
});
