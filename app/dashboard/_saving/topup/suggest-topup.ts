import { TOPUP_USD } from "@/lib/domain/limits";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";

/** Margin for a price change, and with it the costs, until the person signs. */
const PRICE_MARGIN = 1.02;

/**
 * Returns a round amount of which `missingUsd` arrives after the fee: $1, $5, $10, or whole dollars above. Returns $5
 * when nothing is missing.
 */
export function suggestTopup(missingUsd: number): number {
  if (missingUsd === 0) return 5;
  const amount = (missingUsd * PRICE_MARGIN) / (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100);
  return [1, 5, 10].find((usd) => amount <= usd) ?? Math.min(Math.ceil(amount), TOPUP_USD.max);
}
