import { TOPUP_USD } from "@/lib/domain/limits";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";

/** What the price may move, and costs with it, until somebody has signed. */
const ROOM = 1.02;

/** A round amount to add of which, after the fee, `missingUsd` arrives: $5, $10, or whole dollars above. */
export function topupFor(missingUsd: number): number {
  const amount = (missingUsd * ROOM) / (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100);
  return [5, 10].find((usd) => amount <= usd) ?? Math.min(Math.ceil(amount), TOPUP_USD.max);
}
