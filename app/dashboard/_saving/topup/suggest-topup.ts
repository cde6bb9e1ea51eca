import { TOPUP_USD } from "@/lib/domain/limits";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";

/** Factor for a price change until the person signs. The price also decides what the costs are worth. */
const PRICE_MARGIN = 1.02;

/**
 * Returns a round amount, USD, of which `missingUsd` arrives after the fee: $1, $5, $10, or whole dollars above.
 * Returns $5 when nothing is missing.
 */
export function suggestTopup(missingUsd: number): number {
  if (missingUsd === 0) return 5;
  const amountUsd = (missingUsd * PRICE_MARGIN) / (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100);
  return [1, 5, 10].find((usd) => amountUsd <= usd) ?? Math.min(Math.ceil(amountUsd), TOPUP_USD.max);
}
