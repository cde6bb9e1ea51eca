import { type AssetSymbol, findAssetByMint, isDollarMint } from "../../../domain/assets";
import { computeValueMicroUsd } from "../../../domain/money";
import { isAtParity } from "../../../domain/prices/price-bounds";
import { toDayNumber } from "../../../domain/prices/price-history";
import type { Prices } from "../../../domain/prices/prices";
import { DAY_MS } from "../../../domain/time";
import { awaitOrNull } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { TokenAmount } from "../../../solana/token-instructions";
import { readPricesOrNull } from "./read-prices";

/*
 * Values landed transactions in dollars, at the same price in all operations and on every later day.
 *
 * The price is the one recorded when this service relayed the transaction, otherwise the daily price of its UTC day,
 * which is written once. Today's price is the last resort. A dollar token is exactly $1 unless that price says that it
 * has lost its peg: at $0.9996, 5 USDC are $5.00, and at $0.95 they are $4.75, marked as estimated.
 */

/** The facts that determine the past prices of a transaction. */
export interface PriceMoment {
  /** Seconds since the epoch; null if the node does not know. */
  blockTime: number | null;
  /** Prices, USD, recorded when this service relayed the transaction; null if it did not. */
  relayPrices: Prices["usd"] | null;
}

/**
 * US dollars per coin. `isEstimated` is true if the price is not from the transaction's own time, except for a dollar
 * token: there it is true if the token does not count as exactly one dollar.
 */
interface CoinPrice {
  usd: number;
  isEstimated: boolean;
}

/** A price; "unpriced" if there is none; null if it cannot be read now. */
export type PriceReading = CoinPrice | "unpriced" | null;

/** `isEstimated` is true if a part was valued at an estimated price. */
export interface DollarValue {
  microUsd: bigint;
  isEstimated: boolean;
}

/** Reads the price at which a transaction of this moment counts. */
export type PriceReader = (mint: string, moment: PriceMoment) => Promise<PriceReading>;

/**
 * Creates a reader of prices. It requests each day's price once, and today's prices once and only if they are needed.
 * @param mintsPricedToday mints that count at today's price, as an estimate, if no past price is known
 */
export function createPriceReader(deps: Deps, mintsPricedToday: readonly string[]): PriceReader {
  const readPastPrice = createPastPriceReader(deps);
  const readTodaysPrice = createTodaysPriceReader(deps, mintsPricedToday);
  return async (mint, moment) => {
    const asset = findAssetByMint(mint);
    const pastPrice = asset === null ? "unpriced" : await readPastPrice(asset, moment);
    if (pastPrice === "unpriced" && mintsPricedToday.includes(mint)) return readTodaysPrice(mint);
    return applyParity(mint, pastPrice);
  };
}

/** Applies the rule of dollar tokens. @param referenceUsd the price in the second source, if it has one */
function applyParity(mint: string, price: PriceReading, referenceUsd = 1): PriceReading {
  if (price === null || price === "unpriced" || !isDollarMint(mint)) return price;
  const isDollar = isAtParity(price.usd) && isAtParity(referenceUsd);
  return isDollar ? { usd: 1, isEstimated: false } : { ...price, isEstimated: true };
}

function createPastPriceReader({ priceHistory }: Deps) {
  const priceByDay = new Map<string, Promise<PriceReading>>();

  const readDailyPrice = async (asset: AssetSymbol, day: number): Promise<PriceReading> => {
    // The middle of a day is never nearer to another day's reading, at whatever time of its day each was made.
    const usd = await priceHistory.readPriceAt(asset, (day + 0.5) * DAY_MS);
    return usd === null ? "unpriced" : { usd, isEstimated: true };
  };

  return async (asset: AssetSymbol, { blockTime, relayPrices }: PriceMoment): Promise<PriceReading> => {
    const relayUsd = relayPrices?.[asset];
    if (relayUsd !== undefined) return { usd: relayUsd, isEstimated: false };
    if (blockTime === null) return "unpriced";
    const day = toDayNumber(blockTime * 1000);
    const key = `${asset} ${day}`;
    const price = priceByDay.get(key) ?? awaitOrNull(readDailyPrice(asset, day));
    priceByDay.set(key, price);
    return price;
  };
}

function createTodaysPriceReader(deps: Deps, mints: readonly string[]) {
  const otherMints = [...new Set(mints.filter((mint) => findAssetByMint(mint) === null))];
  let assetPrices: Promise<Prices | null> | undefined;
  let otherPrices: Promise<Record<string, number | null> | null> | undefined;
  return async (mint: string): Promise<PriceReading> => {
    const asset = findAssetByMint(mint);
    if (asset === null) {
      otherPrices ??= awaitOrNull(deps.prices.readMintPrices(otherMints));
      return applyParity(mint, toEstimate((await otherPrices)?.[mint]));
    }
    assetPrices ??= readPricesOrNull(deps);
    const prices = await assetPrices;
    return applyParity(mint, toEstimate(prices?.usd[asset]), prices?.referenceUsd?.[asset]);
  };
}

/** Converts today's price to an estimate. @param usd null if there is no price, undefined if it cannot be read now */
const toEstimate = (usd: number | null | undefined): PriceReading =>
  usd === undefined ? null : usd === null ? "unpriced" : { usd, isEstimated: true };

/**
 * Sums the values of amounts. An amount that is unpriced adds nothing.
 * @returns "unpriced" if no amount has a price; null if a price cannot be read now
 */
export async function computeValue(
  amounts: TokenAmount[],
  findPrice: (mint: string) => Promise<PriceReading>,
): Promise<DollarValue | "unpriced" | null> {
  const prices = await Promise.all(amounts.map(({ mint }) => findPrice(mint)));
  const value: DollarValue = { microUsd: 0n, isEstimated: false };
  for (const [i, { amount, decimals }] of amounts.entries()) {
    const price = prices[i]!;
    if (price === null) return null;
    if (price === "unpriced") continue;
    value.microUsd += computeValueMicroUsd(amount, decimals, price.usd);
    value.isEstimated ||= price.isEstimated;
  }
  return prices.every((price) => price === "unpriced") ? "unpriced" : value;
}
