import { createHash } from "node:crypto";
import type { AssetSymbol } from "../../domain/assets";
import { toMicroUsd } from "../../domain/money";

/** US dollars for one coin in a sandbox whose prices stand still: the order of magnitude of autumn 2026, nothing more. */
export const DEFAULT_PRICES_USD: Record<AssetSymbol, number> = { SOL: 150, BTC: 100_000, ETH: 3_500, USDC: 1, USDT: 1 };

/** A walking price changes once per step. */
export const WALK_STEP_MS = 5_000;

/**
 * The walk is value noise: at each period a seeded random value in ±reach (a share of the default price), eased in
 * between, the periods summed. The reaches sum to the bound, and within a minute a price moves by less than 0.4 %, so
 * that a pair of them stays within the usual slippage of 1 % for a quote's life.
 */
const OCTAVES = [
  { periodMs: 60_000, reach: 0.0005 },
  { periodMs: 600_000, reach: 0.0045 },
  { periodMs: 7_200_000, reach: 0.015 },
  { periodMs: 86_400_000, reach: 0.03 },
];

/** No walking price is ever further than this share from its default. */
export const WALK_BOUND = 0.05;

/** The same for a coin pegged to the dollar. */
export const STABLE_WALK_BOUND = 0.001;

const STABLES: ReadonlySet<AssetSymbol> = new Set<AssetSymbol>(["USDC", "USDT"]);
const DAY_MS = 86_400_000;

export interface PriceBook {
  /** Micro-dollars for one coin, now; always positive. */
  microUsd(symbol: AssetSymbol): bigint;
  /** Change over the last 24 hours in percent: 1.5 is 1.5 % up. */
  change24h(symbol: AssetSymbol): number;
  /**
   * Holds a price (for tests) until another is set; null lets it follow the mode again.
   * @throws {RangeError} unless it is at least a micro-dollar
   */
  set(symbol: AssetSymbol, usd: number | null): void;
}

export interface PriceBookOptions {
  /** `fixed`: the default prices for ever. `walk`: a gentle walk that is a function of seed and time alone. */
  mode: "fixed" | "walk";
  seed: Uint8Array;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** The sandbox's prices. A walk has no state: after a restart, or in another process with the same seed, it goes on. */
export function createPrices({ mode, seed, now }: PriceBookOptions): PriceBook {
  const held = new Map<AssetSymbol, bigint>();
  const memo = new Map<AssetSymbol, { step: number; micro: bigint }>();

  const moded = (symbol: AssetSymbol, atMs: number): bigint =>
    mode === "fixed" ? toMicroUsd(DEFAULT_PRICES_USD[symbol]) : walkedMicroUsd(seed, symbol, atMs);

  const current = (symbol: AssetSymbol): bigint => {
    const step = Math.floor(now() / WALK_STEP_MS);
    const known = memo.get(symbol);
    if (known?.step === step) return known.micro;
    const micro = moded(symbol, step * WALK_STEP_MS);
    memo.set(symbol, { step, micro });
    return micro;
  };

  const microUsd = (symbol: AssetSymbol) => held.get(symbol) ?? current(symbol);

  return {
    microUsd,
    change24h: (symbol) => (Number(microUsd(symbol)) / Number(moded(symbol, now() - DAY_MS)) - 1) * 100,
    set(symbol, usd) {
      if (usd === null) {
        held.delete(symbol);
        return;
      }
      const micro = toMicroUsd(usd);
      if (micro <= 0n) throw new RangeError("a price is at least one micro-dollar");
      held.set(symbol, micro);
    },
  };
}

/** A pure function of its arguments; within WALK_BOUND (STABLE_WALK_BOUND) of the default price. */
function walkedMicroUsd(seed: Uint8Array, symbol: AssetSymbol, atMs: number): bigint {
  const steppedMs = Math.floor(atMs / WALK_STEP_MS) * WALK_STEP_MS;
  let drift = 0;
  for (const { periodMs, reach } of OCTAVES) {
    const position = steppedMs / periodMs;
    const cell = Math.floor(position);
    const from = noise(seed, symbol, periodMs, cell);
    const to = noise(seed, symbol, periodMs, cell + 1);
    drift += reach * (from + (to - from) * ease(position - cell));
  }
  const scale = STABLES.has(symbol) ? STABLE_WALK_BOUND / WALK_BOUND : 1;
  return BigInt(Math.round(DEFAULT_PRICES_USD[symbol] * 1e6 * (1 + drift * scale)));
}

/** Smoothstep: no kink where two periods meet. Steepest slope 1.5. */
function ease(t: number): number {
  return t * t * (3 - 2 * t);
}

/** Uniform in -1 to 1, the same for the same arguments. */
function noise(seed: Uint8Array, symbol: AssetSymbol, periodMs: number, cell: number): number {
  const digest = createHash("sha256").update(seed).update(`${symbol}/${periodMs}/${cell}`).digest();
  return (digest.readUInt32LE(0) / 0xffff_ffff) * 2 - 1;
}
