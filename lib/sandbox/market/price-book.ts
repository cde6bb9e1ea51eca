import { createHash } from "node:crypto";
import { ASSET_SYMBOLS, type AssetSymbol } from "../../domain/assets";
import { toMicroUsd } from "../../domain/money";
import { DAY_MS } from "../../domain/time";
import { memoize } from "../../solana/memoize";

/** Fixed prices in US dollars per coin. They have the order of magnitude of autumn 2026. */
export const DEFAULT_PRICES_USD: Record<AssetSymbol, number> = { SOL: 150, BTC: 100_000, ETH: 3_500, USDC: 1, USDT: 1 };

/** Time between two changes of a walking price. */
const WALK_STEP_MS = 5_000;

/** One term of the value noise that moves a price. */
interface Octave {
  periodMs: number;
  /** The largest share of the price by which this term moves the price, up or down. */
  reach: number;
}

/**
 * Terms of up to a day of the price walk, which is value noise. A term has a seeded random value within ±reach at the
 * start of each period and eases between them. The walk sums all terms. A price moves by less than 0.4 % within a
 * minute. A pair therefore stays within the usual slippage of 1 % for the life of a quote.
 */
const DAY_OCTAVES: Octave[] = [
  { periodMs: 60_000, reach: 0.0005 },
  { periodMs: 600_000, reach: 0.0045 },
  { periodMs: 7_200_000, reach: 0.015 },
  { periodMs: DAY_MS, reach: 0.03 },
];

/** Terms of days to years. Their reaches are differences of the price's natural logarithm. */
const YEAR_OCTAVES: Octave[] = [
  { periodMs: 5 * DAY_MS, reach: 0.05 },
  { periodMs: 23 * DAY_MS, reach: 0.1 },
  { periodMs: 110 * DAY_MS, reach: 0.2 },
  { periodMs: 600 * DAY_MS, reach: 0.35 },
];

/** Factors of the reaches of DAY_OCTAVES and YEAR_OCTAVES, by coin. Stablecoins barely move within a day only. */
const REACH_FACTORS: Record<AssetSymbol, { dayFactor: number; yearFactor: number }> = {
  SOL: { dayFactor: 1, yearFactor: 1 },
  ETH: { dayFactor: 0.9, yearFactor: 0.85 },
  BTC: { dayFactor: 0.7, yearFactor: 0.65 },
  USDC: { dayFactor: 0.02, yearFactor: 0 },
  USDT: { dayFactor: 0.02, yearFactor: 0 },
};

/** At this date the terms of YEAR_OCTAVES add nothing, so prices are close to the defaults. */
const ANCHOR_MS = Date.UTC(2026, 9, 1);

export type PriceBook = ReturnType<typeof createPriceBook>;

interface PriceBookOptions {
  /** `fixed`: always the default prices. `walk`: a pure function of seed and time, for past times too. */
  mode: "fixed" | "walk";
  seed: Uint8Array;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Creates the sandbox's prices. A walk has no state, so it continues after a restart of the sandbox. */
export function createPriceBook({ mode, seed, now }: PriceBookOptions) {
  const noise = createNoise(seed);
  const heldPrices = new Map<AssetSymbol, bigint>();
  const cachedPrices = new Map<AssetSymbol, { step: number; microUsd: bigint }>();

  const computeModePrice = (symbol: AssetSymbol, atMs: number): bigint =>
    mode === "fixed" ? toMicroUsd(DEFAULT_PRICES_USD[symbol]) : computeWalkingPrice(noise, symbol, atMs);

  const getModePrice = (symbol: AssetSymbol): bigint => {
    const step = Math.floor(now() / WALK_STEP_MS);
    const cachedPrice = cachedPrices.get(symbol);
    if (cachedPrice?.step === step) return cachedPrice.microUsd;
    const microUsd = computeModePrice(symbol, step * WALK_STEP_MS);
    cachedPrices.set(symbol, { step, microUsd });
    return microUsd;
  };

  /** Returns the current price of one coin in micro-dollars, which is always positive. */
  const getMicroUsd = (symbol: AssetSymbol): bigint => heldPrices.get(symbol) ?? getModePrice(symbol);

  return {
    getMicroUsd,
    /** Returns US dollar prices at the start of each day. Days count from the epoch. Ignores prices held by `setPrice`. */
    listDailyPrices(firstDay: number, dayCount: number): Record<AssetSymbol, number[]> {
      const times = Array.from({ length: dayCount }, (_, i) => (firstDay + i) * DAY_MS);
      const listPrices = (symbol: AssetSymbol) => times.map((time) => Number(computeModePrice(symbol, time)) / 1e6);
      const entries = ASSET_SYMBOLS.map((symbol) => [symbol, listPrices(symbol)]);
      return Object.fromEntries(entries) as Record<AssetSymbol, number[]>;
    },
    /** Returns the change over the last 24 hours in percent: 1.5 is 1.5 % up. */
    computeChange24hPercent: (symbol: AssetSymbol): number =>
      (Number(getMicroUsd(symbol)) / Number(computeModePrice(symbol, now() - DAY_MS)) - 1) * 100,
    /**
     * Holds a price, for tests. Null releases it to follow the mode again.
     * @throws {RangeError} when the price is below a micro-dollar
     */
    setPrice(symbol: AssetSymbol, usd: number | null): void {
      if (usd === null) return void heldPrices.delete(symbol);
      const microUsd = toMicroUsd(usd);
      if (microUsd <= 0n) throw new RangeError("a price is at least one micro-dollar");
      heldPrices.set(symbol, microUsd);
    },
  };
}

/** Returns the walking price at a time, in micro-dollars. */
function computeWalkingPrice(noise: Noise, symbol: AssetSymbol, atMs: number): bigint {
  const steppedMs = Math.floor(atMs / WALK_STEP_MS) * WALK_STEP_MS;
  const { dayFactor, yearFactor } = REACH_FACTORS[symbol];
  const dayMove = 1 + dayFactor * computeDrift(DAY_OCTAVES, noise, symbol, steppedMs);
  const yearMove = Math.exp(
    yearFactor *
      (computeDrift(YEAR_OCTAVES, noise, symbol, steppedMs) - computeDrift(YEAR_OCTAVES, noise, symbol, ANCHOR_MS)),
  );
  return BigInt(Math.round(DEFAULT_PRICES_USD[symbol] * 1e6 * dayMove * yearMove));
}

/** Returns the summed noise, within the sum of the octaves' reaches. */
function computeDrift(octaves: Octave[], noise: Noise, symbol: AssetSymbol, atMs: number): number {
  return octaves.reduce((sum, { periodMs, reach }) => {
    const position = atMs / periodMs;
    const cell = Math.floor(position);
    const startNoise = noise(symbol, periodMs, cell);
    const difference = position === cell ? 0 : noise(symbol, periodMs, cell + 1) - startNoise;
    return sum + reach * (startNoise + difference * smoothStep(position - cell));
  }, 0);
}

/** Eases a fraction from 0 to 1 without a kink at either end. The steepest slope is 1.5. */
function smoothStep(fraction: number): number {
  return fraction * fraction * (3 - 2 * fraction);
}

/** Returns a number that is uniform in -1 to 1. The same seed and arguments return the same number. */
type Noise = (symbol: AssetSymbol, periodMs: number, cell: number) => number;

function createNoise(seed: Uint8Array): Noise {
  // A history of five years needs about this many values.
  const deriveNoise = memoize(50_000, (name) => {
    const digest = createHash("sha256").update(seed).update(name).digest();
    return (digest.readUInt32LE(0) / 0xffff_ffff) * 2 - 1;
  });
  return (symbol, periodMs, cell) => deriveNoise(`${symbol}/${periodMs}/${cell}`);
}
