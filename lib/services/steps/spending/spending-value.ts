import { findAssetByMint, isStablecoin } from "../../../domain/assets";
import type { Payment } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { listAmounts } from "../amounts";
import { awaitOrNull } from "../await-or-null";
import {
  computeValue,
  createPastPriceReader,
  type DollarValue,
  type PriceMoment,
  type PriceReading,
} from "../prices/past-price";
import { readPricesOrNull } from "../prices/read-prices";

/*
 * Values payments in dollars.
 *
 * The problem: a payment must be rounded up at its value when it was made, but some prices of that moment and of that
 * day are not known.
 * The invariant: a payment gets a value only if every price it needs could be read. A failed price source never counts
 * as $0.
 * How it is kept: the past price is used, as in the activity. Today's price is used only if no past price exists. If a
 * price cannot be read now, the value is null, and a later answer tries again.
 * Example: 0.1 SOL was paid on a day without a price. Today's price of $100 gives $10.00, marked as estimated.
 */

interface TimedPayment extends PriceMoment {
  payment: Payment;
}

/**
 * Computes the value of each payment, in order. A token that has no price adds nothing. Stablecoins do not count as
 * estimated.
 * @returns "unpriced" if none of a payment's tokens has a price; null if a price cannot be read now
 */
export async function computeValues(
  deps: Deps,
  timedPayments: TimedPayment[],
): Promise<(DollarValue | "unpriced" | null)[]> {
  const paidMints = timedPayments.flatMap(({ payment }) => payment.tokens.map(({ mint }) => mint));
  const otherMints = [...new Set(paidMints.filter((mint) => findAssetByMint(mint) === null))];
  const [currentPrices, mintPrices] = await Promise.all([
    timedPayments.length > 0 ? readPricesOrNull(deps) : null,
    otherMints.length > 0 ? awaitOrNull(deps.prices.readMintPrices(otherMints)) : null,
  ]);
  const readPastPrice = createPastPriceReader(deps);

  const findPrice = async (mint: string, moment: PriceMoment): Promise<PriceReading> => {
    const asset = findAssetByMint(mint);
    if (asset === null) return toEstimate(mintPrices?.[mint]);
    const pastPrice = await readPastPrice(asset, moment);
    const price = pastPrice === "unpriced" ? toEstimate(currentPrices?.usd[asset]) : pastPrice;
    return price !== null && price !== "unpriced" && isStablecoin(asset) ? { ...price, isEstimated: false } : price;
  };
  return Promise.all(
    timedPayments.map((timed) => computeValue(listAmounts(timed.payment), (mint) => findPrice(mint, timed))),
  );
}

/** Converts today's price to an estimate. @param usd null if there is no price, undefined if it cannot be read now */
const toEstimate = (usd: number | null | undefined): PriceReading =>
  usd === undefined ? null : usd === null ? "unpriced" : { usd, isEstimated: true };
