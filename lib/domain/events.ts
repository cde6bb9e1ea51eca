import type { Activity } from "./activity";
import { ASSETS } from "./assets";

/** Every type of event. Each name ends with its outcome. The store keeps the index, so a new type goes to the end. */
export const EVENT_TYPES = [
  "saving.confirmed",
  "topup.confirmed",
  "swap.confirmed",
  "sale.confirmed",
  "withdrawal.confirmed",
  "transaction.confirmed",
  "transaction.failed",
  "transaction.expired",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * Returns the type of a confirmed transaction's event. A swap that cost SOL, or USDC without bringing SOL, bought an
 * asset. Any other swap sold one.
 * @param isServiceWallet whether the activity is that of a service wallet; only these make withdrawals
 */
export function toEventType(
  { type, isTopup, solChangeLamports, tokenChanges }: Activity,
  isServiceWallet: boolean,
): EventType {
  if (type === "round_up") return isTopup ? "topup.confirmed" : "saving.confirmed";
  if (type === "swap") {
    const isUsdcSpent = tokenChanges.some(({ mint, amount }) => mint === ASSETS.USDC.mint && amount < 0n);
    const isInvestment = solChangeLamports < 0n || (solChangeLamports === 0n && isUsdcSpent);
    return isInvestment ? "swap.confirmed" : "sale.confirmed";
  }
  return type === "withdrawal" && isServiceWallet ? "withdrawal.confirmed" : "transaction.confirmed";
}
