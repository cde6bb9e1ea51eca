import { ASSETS, type AssetSymbol, LEGACY_MINTS, OTHER_DOLLARS } from "../../domain/assets";
import { BPS, MICRO_PER_USD } from "../../domain/money";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import type { PriceBook } from "./price-book";

export interface Listing {
  mint: string;
  program: string;
  /** Asset whose price the coin has. */
  symbol: AssetSymbol;
  decimals: number;
  /** Micro-dollars on each side of the virtual pool. Determines the price impact. */
  depthMicroUsd: bigint;
  /** Base units that the maker holds. Less than the depth, so that a trade can exceed it. */
  inventory: bigint;
}

function createListing(
  symbol: AssetSymbol,
  depthUsd: bigint,
  inventoryCoins: bigint,
  mint = ASSETS[symbol].mint,
  program = TOKEN_PROGRAM,
): Listing {
  const { decimals } = ASSETS[symbol];
  const inventory = inventoryCoins * 10n ** BigInt(decimals);
  return { mint, program, symbol, decimals, depthMicroUsd: depthUsd * MICRO_PER_USD, inventory };
}

/** The coins that the maker trades, by mint. Depths rank like the real pools; inventories are about half of them. */
export const LISTINGS: ReadonlyMap<string, Listing> = new Map(
  [
    createListing("BTC", 20_000_000n, 100n),
    createListing("ETH", 10_000_000n, 1_500n),
    createListing("USDC", 50_000_000n, 25_000_000n),
    createListing("USDT", 20_000_000n, 10_000_000n),
    ...Object.entries(LEGACY_MINTS).map(([mint, symbol]) => createListing(symbol, 2_000_000n, 10n, mint)),
    ...Object.values(OTHER_DOLLARS).map(({ mint }) =>
      createListing("USDC", 2_000_000n, 1_000_000n, mint, TOKEN_2022_PROGRAM),
    ),
  ].map((listing) => [listing.mint, listing]),
);

/** SOL, with the depth of the deepest pair. */
const SOL_LISTING = createListing("SOL", 50_000_000n, 150_000n);

/** Returns the listing of an issued coin or of SOL; undefined for any other mint. */
export function findListing(mint: string): Listing | undefined {
  return mint === NATIVE_MINT ? SOL_LISTING : LISTINGS.get(mint);
}

export interface Trade {
  sold: Listing;
  bought: Listing;
  amount: bigint;
  slippageBps: number;
}

export interface Quote {
  /** Base units bought. 0 when the input is too small to buy one. */
  outAmount: bigint;
  /** The least base units that the taker accepts: floor(outAmount × (1 − slippage)). */
  threshold: bigint;
  /** Share of the price lost to the trade's size, 0 to 1. */
  impact: number;
}

/**
 * Computes a trade with the constant-product formula. The virtual pool holds the smaller depth of the two coins in
 * dollars on each side: x units of the sold coin and y units of the bought coin. So `out = y·in / (x + in)`, which is
 * the fair value times x / (x + in), and the impact is in / (x + in). The pool refills at once, so trades do not affect
 * each other. All arithmetic is integer and rounds down once.
 */
export function quoteTrade({ sold, bought, amount, slippageBps }: Trade, prices: PriceBook): Quote {
  const [soldMicroUsd, boughtMicroUsd] = [prices.getMicroUsd(sold.symbol), prices.getMicroUsd(bought.symbol)];
  const [soldUnitsPerCoin, boughtUnitsPerCoin] = [10n ** BigInt(sold.decimals), 10n ** BigInt(bought.decimals)];
  const depthMicroUsd = sold.depthMicroUsd < bought.depthMicroUsd ? sold.depthMicroUsd : bought.depthMicroUsd;
  const poolUnits = (depthMicroUsd * soldUnitsPerCoin) / soldMicroUsd;
  const outAmount =
    (amount * soldMicroUsd * boughtUnitsPerCoin * poolUnits) /
    (soldUnitsPerCoin * boughtMicroUsd * (poolUnits + amount));
  return {
    outAmount,
    threshold: (outAmount * (BPS - BigInt(slippageBps))) / BPS,
    impact: Number(amount) / Number(poolUnits + amount),
  };
}

/**
 * Returns whether a quote is stale: the same trade would now give less than the threshold, or more than the quote by
 * the same margin. A real pool rejects only the first. This venue delivers a fixed amount, so the maker needs
 * protection too.
 * @param currentAmount base units that the trade would give now
 */
export function isQuoteStale({ outAmount, threshold }: Quote, currentAmount: bigint): boolean {
  return currentAmount < threshold || currentAmount > 2n * outAmount - threshold;
}
