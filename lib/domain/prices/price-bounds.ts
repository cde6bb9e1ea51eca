import { ASSET_SYMBOLS, type AssetSymbol } from "../assets";
import { microUsdToLamports, toMicroUsd } from "../money";

/** What a price can be at all, US dollars for one coin, both ends included. */
export interface PriceBound {
  min: number;
  max: number;
}

export type PriceBounds = Record<AssetSymbol, PriceBound>;

/**
 * A tenth or less of what each coin cost in autumn 2026 up to some tens of times as much: wide enough for years of
 * markets, narrow enough that a slipped decimal point stands out even before there is a last price to compare with.
 * A dollar coin beyond these has stopped being one.
 */
export const DEFAULT_PRICE_BOUNDS: PriceBounds = {
  BTC: { min: 5_000, max: 5_000_000 },
  ETH: { min: 200, max: 200_000 },
  SOL: { min: 10, max: 10_000 },
  USDC: { min: 0.5, max: 1.5 },
  USDT: { min: 0.5, max: 1.5 },
};

/** Settings may not go beyond these: money counts in micro-dollars, and no coin is worth a billion. */
const WIDEST: PriceBound = { min: 0.000_01, max: 1_000_000_000 };

/** Whether any coin at all can have that price; worthless ones may be next to nothing. */
export function isPlausible(usd: number): boolean {
  return usd > 0 && usd <= WIDEST.max;
}

export function isWithin(usd: number, { min, max }: PriceBound): boolean {
  return usd >= min && usd <= max;
}

/**
 * `SOL:10-10000,USDC:0.5-1.5`: the named assets' bounds, the defaults for all others.
 * @returns a sentence where it cannot be read
 */
export function parsePriceBounds(parts: readonly string[]): PriceBounds | string {
  const bounds = { ...DEFAULT_PRICE_BOUNDS };
  for (const part of parts) {
    const [, symbol, min, max] = /^([A-Z]+):(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    const asset = ASSET_SYMBOLS.find((one) => one === symbol);
    if (!asset) return "each is <asset>:<least>-<most>, as in SOL:10-10000";
    const bound = { min: Number(min), max: Number(max) };
    if (bound.min >= bound.max || !isWithin(bound.min, WIDEST) || !isWithin(bound.max, WIDEST)) {
      return `${asset} needs a least price below the most, from ${WIDEST.min} to ${WIDEST.max}`;
    }
    bounds[asset] = bound;
  }
  return bounds;
}

/** The most lamports `microUsd` can ever be: at the least plausible price of SOL. */
export function mostLamports(microUsd: bigint, { SOL }: PriceBounds): bigint {
  return microUsdToLamports(microUsd, toMicroUsd(SOL.min));
}
