import { ASSET_SYMBOLS, type AssetSymbol } from "../assets";
import { microUsdToLamports, toMicroUsd } from "../money";

/** The inclusive range of believable prices, US dollars per coin. */
interface PriceBound {
  min: number;
  max: number;
}

export type PriceBounds = Record<AssetSymbol, PriceBound>;

/**
 * Each range goes from a tenth or less of the coin's price in autumn 2026 to several tens of times that price. It
 * leaves room for years of market moves. It still catches a misplaced decimal point when there is no earlier price to
 * compare with. A stablecoin outside its range has lost its peg.
 */
export const DEFAULT_PRICE_BOUNDS: PriceBounds = {
  BTC: { min: 5_000, max: 5_000_000 },
  ETH: { min: 200, max: 200_000 },
  SOL: { min: 10, max: 10_000 },
  USDC: { min: 0.5, max: 1.5 },
  USDT: { min: 0.5, max: 1.5 },
};

/** Prices at which a dollar token counts as exactly one US dollar. */
const PARITY_BOUND: PriceBound = { min: 0.99, max: 1.01 };

/** Returns whether a dollar token with this price counts as exactly one US dollar. */
export const isAtParity = (usd: number): boolean => isWithinBound(usd, PARITY_BOUND);

/**
 * Inclusive limits for configured bounds, USD. The minimum is ten micro-dollars, because prices convert to whole
 * micro-dollars. No coin is worth more than the maximum.
 */
const WIDEST_BOUND: PriceBound = { min: 0.000_01, max: 1_000_000_000 };

/** Returns whether any coin could have this price. No minimum applies, because a token may be nearly worthless. */
export function isPossiblePrice(usd: number): boolean {
  return usd > 0 && usd <= WIDEST_BOUND.max;
}

export function isWithinBound(usd: number, { min, max }: PriceBound): boolean {
  return usd >= min && usd <= max;
}

/**
 * Parses entries such as `SOL:10-10000` and `USDC:0.5-1.5`. Assets that are not named keep the default bounds.
 * @returns the bounds, or an error sentence for an invalid entry
 */
export function parsePriceBounds(entries: readonly string[]): PriceBounds | string {
  const bounds = { ...DEFAULT_PRICE_BOUNDS };
  for (const entry of entries) {
    const [, symbol, min, max] = /^([A-Z]+):(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(entry) ?? [];
    const asset = ASSET_SYMBOLS.find((candidate) => candidate === symbol);
    if (!asset) return "each is <asset>:<least>-<most>, as in SOL:10-10000";
    const bound = { min: Number(min), max: Number(max) };
    if (bound.min >= bound.max || !isWithinBound(bound.min, WIDEST_BOUND) || !isWithinBound(bound.max, WIDEST_BOUND)) {
      return `${asset} needs a least price below the most, from ${WIDEST_BOUND.min} to ${WIDEST_BOUND.max}`;
    }
    bounds[asset] = bound;
  }
  return bounds;
}

/** Returns the lamports that `microUsd` buys at the lowest price of SOL within its bound. */
export function computeMaxLamports(microUsd: bigint, { SOL }: PriceBounds): bigint {
  return microUsdToLamports(microUsd, toMicroUsd(SOL.min));
}
