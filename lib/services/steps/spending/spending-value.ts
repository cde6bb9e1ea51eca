import type { Payment } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import { listAmounts } from "../amounts";
import { computeValue, createPriceReader, type DollarValue, type PriceMoment } from "../prices/payment-price";

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
 * Computes the value of each payment, in order. A token that has no price adds nothing.
 * @returns "unpriced" if none of a payment's tokens has a price; "swap" if a token that came back has one; null if a
 * price cannot be read now
 */
export async function computeValues(
  deps: Deps,
  timedPayments: TimedPayment[],
): Promise<(DollarValue | "unpriced" | "swap" | null)[]> {
  const mints = timedPayments.flatMap(({ payment }) => [
    ...listAmounts(payment).map(({ mint }) => mint),
    ...(payment.gainedMints ?? []),
  ]);
  const readPrice = createPriceReader(deps, mints);
  return Promise.all(
    timedPayments.map(async (timedPayment) => {
      const { payment } = timedPayment;
      const gainedPrices = await Promise.all((payment.gainedMints ?? []).map((mint) => readPrice(mint, timedPayment)));
      if (gainedPrices.includes(null)) return null;
      if (gainedPrices.some((price) => price !== "unpriced")) return "swap";
      return computeValue(listAmounts(payment), (mint) => readPrice(mint, timedPayment));
    }),
  );
}
