import type { ActivityItem } from "@/app/_client/queries/use-activity";
import { formatPercent } from "@/app/_components/money";
import { isUnderCent, lamportsToUsd, roundToMicro, toCents } from "@/lib/domain/money";

export interface HistorySums {
  /** USD that came in, at the price of the transaction's day. */
  contributedUsd: number;
  /** USD that went out, at the price of the transaction's day. */
  withdrawnUsd: number;
  /** Number of transfers without a known value. Neither sum includes them. */
  unknown: number;
  /** USD of service fees. A fee without a known value is not included. */
  feesUsd: number;
  /** Refundable rent currently locked in token accounts. */
  depositLamports: number;
}

/** Returns the USD to display, in cents unless it is under one cent. */
export const toShownUsd = ({ usdValue }: Pick<ActivityItem, "usdValue">): number | null =>
  usdValue === null || isUnderCent(usdValue) ? usdValue : toCents(usdValue);

/**
 * Adds up a service wallet's history, as its rows are displayed. Swaps and failed transactions do not change the
 * contributions.
 */
export function sumHistory(items: readonly ActivityItem[]): HistorySums {
  const sums = { contributedUsd: 0, withdrawnUsd: 0, unknown: 0, feesUsd: 0, depositLamports: 0 };
  for (const item of items) {
    sums.depositLamports += item.tokenAccountDepositLamports;
    if (item.serviceFeeLamports && item.priceUsd) sums.feesUsd += lamportsToUsd(item.serviceFeeLamports, item.priceUsd);
    const incoming = item.type === "round_up" || item.type === "deposit";
    if (item.status === "failed" || (!incoming && item.type !== "withdrawal")) continue;
    const usd = toShownUsd(item);
    if (usd === null) sums.unknown += 1;
    else if (incoming) sums.contributedUsd = roundToMicro(sums.contributedUsd + usd);
    else sums.withdrawnUsd = roundToMicro(sums.withdrawnUsd + usd);
  }
  return sums;
}

/**
 * Returns the worth of the savings including deposits, USD. Deposits count as at least zero: a partial history can
 * contain a refund without its deposit.
 */
export const addDeposits = (totalUsd: number, { depositLamports }: HistorySums, solPriceUsd: number): number =>
  Math.max(0, totalUsd + lamportsToUsd(depositLamports, solPriceUsd));

/** Returns the gain since the start, USD. Computed from cents, so that it agrees with the figures shown beside it. */
export const computeGain = (worthUsd: number, { contributedUsd, withdrawnUsd }: HistorySums): number =>
  toCents(toCents(worthUsd) + toCents(withdrawnUsd) - toCents(contributedUsd));

/** Formats a change as a share of what was put in. Returns an empty string when the share would round to 0.0 %. */
export function formatShare(usd: number, ofUsd: number): string {
  return usd / ofUsd < 0.0005 ? "" : ` (${formatPercent(usd / ofUsd, 1)})`;
}
