import { TOPUP_USD_RANGE } from "@/lib/domain/limits";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";

/** Allows for a price change until the person signs: the price decides what the missing costs are worth. */
const PRICE_MARGIN = 1.02;

/**
 * Returns a round amount of which `missingUsd` arrives after the fee: $1, $5, $10, or whole dollars above, up to the
 * largest top-up. Returns $5 when nothing is missing.
 */
export function suggestTopupUsd(missingUsd: number): number {
  if (missingUsd === 0) return 5;
  const amountUsd = (missingUsd * PRICE_MARGIN) / (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100);
  return [1, 5, 10].find((usd) => amountUsd <= usd) ?? Math.min(Math.ceil(amountUsd), TOPUP_USD_RANGE.max);
}
