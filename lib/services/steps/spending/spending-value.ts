import { type AssetSymbol, findAssetByMint, isStablecoin } from "../../../domain/assets";
import { computeValueMicroUsd } from "../../../domain/money";
import { toDay } from "../../../domain/prices/price-history";
import type { Prices } from "../../../domain/prices/prices";
import type { Payment } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { listAmounts } from "../amounts";
import { readPricesOrNull } from "../prices/read-prices";
import { tolerate } from "../tolerate";

/*
 * Values payments in dollars.
 *
 * The problem: a payment must be rounded up at its value when it was made, but most prices of that moment are not
 * known.
 * The invariant: a payment gets a value only if every price it needs could be read. A failed price source never counts
 * as $0.
 * How it is kept: the best available price is used, in this order: the price recorded when this service relayed the
 * payment, the current price for stablecoins, the daily price nearest to it, today's price. If a price cannot be read
 * now, the value is null, and a later answer tries again.
 * Example: 0.1 SOL was paid yesterday in a shop's own app. No recorded price exists, so yesterday's daily price of $100
 * gives $10.00, marked as estimated.
 */

/** `estimated` is true if a part was not valued at the price of its moment. */
export interface PaymentValue {
  microUsd: bigint;
  estimated: boolean;
}

export interface TimedPayment {
  payment: Payment;
  /** Seconds since the epoch; null if the node does not know. */
  blockTime: number | null;
  /** Prices, USD, recorded when this service relayed it; null if it did not. */
  relayPrices: Prices["usd"] | null;
}

/**
 * Computes the value of each payment, in order. A token that has no price adds nothing.
 * @returns "unpriced" if none of a payment's tokens has a price; null if a price cannot be read now
 */
export async function computeValues(
  deps: Deps,
  timedPayments: TimedPayment[],
): Promise<(PaymentValue | "unpriced" | null)[]> {
  const paidMints = timedPayments.flatMap(({ payment }) => payment.tokens.map(({ mint }) => mint));
  const otherMints = [...new Set(paidMints.filter((mint) => findAssetByMint(mint) === null))];
  const [currentPrices, mintPrices] = await Promise.all([
    timedPayments.length > 0 ? readPricesOrNull(deps) : null,
    otherMints.length > 0 ? tolerate(deps.prices.readMints(otherMints)) : null,
  ]);
  const readDailyPrice = createDailyPriceReader(deps);

  /** Returns a price in USD; null if it cannot be read now. */
  const findPrice = async (mint: string, { relayPrices, blockTime }: TimedPayment) => {
    const asset = findAssetByMint(mint);
    if (asset === null) {
      const usd = mintPrices?.[mint];
      return { usd: usd === undefined ? null : (usd ?? ("unpriced" as const)), estimated: true };
    }
    if (relayPrices?.[asset] !== undefined) return { usd: relayPrices[asset], estimated: false };
    const currentUsd = currentPrices?.usd[asset] ?? null;
    if (isStablecoin(asset)) return { usd: currentUsd, estimated: false };
    return {
      usd: (blockTime === null ? null : await readDailyPrice(asset, blockTime * 1000)) ?? currentUsd,
      estimated: true,
    };
  };

  const computeValue = async (timed: TimedPayment): Promise<PaymentValue | "unpriced" | null> => {
    const value: PaymentValue = { microUsd: 0n, estimated: false };
    let pricedCount = 0;
    for (const { mint, amount, decimals } of listAmounts(timed.payment)) {
      const { usd, estimated } = await findPrice(mint, timed);
      if (usd === null) return null;
      if (usd === "unpriced") continue;
      pricedCount++;
      value.microUsd += computeValueMicroUsd(amount, decimals, usd);
      value.estimated ||= estimated;
    }
    return pricedCount > 0 ? value : "unpriced";
  };
  return Promise.all(timedPayments.map(computeValue));
}

/** Creates a reader of daily prices that requests each day's price once. */
function createDailyPriceReader({ priceHistory }: Deps) {
  const priceByDay = new Map<string, Promise<number | null>>();
  return (asset: AssetSymbol, timeMs: number): Promise<number | null> => {
    const key = `${asset} ${toDay(timeMs)}`;
    const price = priceByDay.get(key) ?? tolerate(priceHistory.readPriceAt(asset, timeMs));
    priceByDay.set(key, price);
    return price;
  };
}
