import type { AssetSymbol } from "../../../domain/assets";
import { computeValueMicroUsd } from "../../../domain/money";
import { toDayNumber } from "../../../domain/prices/price-history";
import type { Prices } from "../../../domain/prices/prices";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import type { TokenAmount } from "../../../solana/token-instructions";
import { awaitOrNull } from "../await-or-null";

/*
 * Values landed transactions in dollars.
 *
 * The problem: the price of the moment is known only for transactions that this service relayed. The spending stores
 * the value it finds first, and the activity computes it at each request. A price that moves in between would give one
 * payment two values.
 * The invariant: all operations use the same past price of a transaction, and the next day's price does not change it.
 * How it is kept: the price is the one recorded when this service relayed the transaction, otherwise the daily price of
 * its UTC day, which is written once.
 * Example: 0.1 SOL was paid at 18:00 in a shop's own app. The day's price is $100, so the value is $10.00, marked as
 * estimated. It is still $10.00 after midnight, when the next day's price of $103 is nearer to 18:00.
 */

/** The facts that determine the past prices of a transaction. */
export interface PriceMoment {
  /** Seconds since the epoch; null if the node does not know. */
  blockTime: number | null;
  /** Prices, USD, recorded when this service relayed the transaction; null if it did not. */
  relayPrices: Prices["usd"] | null;
}

/** US dollars per coin. `isEstimated` is true if the price is not from the transaction's own time. */
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

/** Creates a reader of past prices that requests each day's price once. */
export function createPastPriceReader({ priceHistory }: Deps) {
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
