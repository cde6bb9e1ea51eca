import { ASSETS, type AssetSymbol, LEGACY_MINTS } from "../../domain/assets";
import { BPS, MICRO_PER_USD } from "../../domain/money";
import { NATIVE_MINT } from "../../solana/programs";
import type { PriceBook } from "./price-book";

/** A coin the local maker trades. */
export interface Listing {
  mint: string;
  /** Whose price it has. */
  symbol: AssetSymbol;
  decimals: number;
  /** Dollars on either side of the virtual pool, in micro-dollars: it sets the price impact. */
  depthMicroUsd: bigint;
  /** Base units the maker means to hold. Less than the depth, so that a trade can be too big for it. */
  inventory: bigint;
}

const listing = (mint: string, symbol: AssetSymbol, decimals: number, depthUsd: bigint, coins: bigint): Listing => ({
  mint,
  symbol,
  decimals,
  depthMicroUsd: depthUsd * MICRO_PER_USD,
  inventory: coins * 10n ** BigInt(decimals),
});

const asset = (symbol: AssetSymbol, depthUsd: bigint, coins: bigint) =>
  listing(ASSETS[symbol].mint, symbol, ASSETS[symbol].decimals, depthUsd, coins);

/** What the maker issues and trades, by mint. Depths follow the order of the real pools; inventories are about half of them. */
export const LISTINGS: ReadonlyMap<string, Listing> = new Map(
  [
    asset("BTC", 20_000_000n, 100n),
    asset("ETH", 10_000_000n, 1_500n),
    asset("USDC", 50_000_000n, 25_000_000n),
    asset("USDT", 20_000_000n, 10_000_000n),
    ...Object.entries(LEGACY_MINTS).map(([mint, symbol]) =>
      listing(mint, symbol, ASSETS[symbol].decimals, 2_000_000n, 10n),
    ),
  ].map((entry) => [entry.mint, entry]),
);

/** SOL has the depth of the deepest pair. */
const SOL_LISTING: Listing = asset("SOL", 50_000_000n, 150_000n);

/** Everything that is traded and has a price here: what is issued, and SOL. @returns undefined for an unknown mint */
export function pricedListing(mint: string): Listing | undefined {
  return mint === NATIVE_MINT ? SOL_LISTING : LISTINGS.get(mint);
}

export interface Trade {
  sold: Listing;
  bought: Listing;
  /** Base units of what is sold. */
  amount: bigint;
  slippageBps: number;
}

export interface Quote {
  /** Base units; 0 when the input is too small to buy one. */
  outAmount: bigint;
  /** The least the taker accepts: floor(outAmount × (1 − slippage)). */
  threshold: bigint;
  /** Share of the price lost to the size of the trade, 0 to 1. */
  impact: number;
}

/**
 * What a trade brings. Constant product: a virtual pool holds the lesser `depth` of the two in dollars of what is sold (x
 * units) and as many of what is bought (y units), so `out = y·in / (x + in)`, the fair value times x / (x + in), and the
 * impact is in / (x + in). The pool refills at once: there is no memory between trades. Everything is integer and
 * rounded down once.
 */
export function quote({ sold, bought, amount, slippageBps }: Trade, prices: PriceBook): Quote {
  const [soldMicro, boughtMicro] = [prices.microUsd(sold.symbol), prices.microUsd(bought.symbol)];
  const [soldCoin, boughtCoin] = [10n ** BigInt(sold.decimals), 10n ** BigInt(bought.decimals)];
  const depth = sold.depthMicroUsd < bought.depthMicroUsd ? sold.depthMicroUsd : bought.depthMicroUsd;
  const pool = (depth * soldCoin) / soldMicro;
  const outAmount = (amount * soldMicro * boughtCoin * pool) / (soldCoin * boughtMicro * (pool + amount));
  return {
    outAmount,
    threshold: (outAmount * (BPS - BigInt(slippageBps))) / BPS,
    impact: Number(amount) / Number(pool + amount),
  };
}

/**
 * Whether a quote no longer stands: the same trade would now give less than its threshold, or as much more than was
 * quoted. A real pool fails only the first; here both sides are protected, since the amount delivered is fixed.
 */
export function hasWalkedAway(quoted: { outAmount: bigint; threshold: bigint }, fresh: bigint): boolean {
  return fresh < quoted.threshold || fresh > 2n * quoted.outAmount - quoted.threshold;
}
