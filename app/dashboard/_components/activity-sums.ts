import type { ActivityItem } from "@/app/_client/queries/use-activity";
import { percentText } from "@/app/_components/money";
import { lamportsToUsd, toCents } from "@/lib/domain/money";

export interface HistorySums {
  /** USD that came in, at the price of its day. */
  contributedUsd: number;
  /** USD that went out, at the price of its day. */
  withdrawnUsd: number;
  /** Transfers in or out whose value is not known: they are in neither sum. */
  unknown: number;
  /** USD of service fees; what is unknown counts as nothing. */
  feesUsd: number;
  /** Refundable rent that lies in token accounts now. */
  depositLamports: number;
}

/** What a service wallet's history adds up to. Swaps stay inside; failed transactions moved nothing. */
export function sumHistory(items: readonly ActivityItem[]): HistorySums {
  const sums = { contributedUsd: 0, withdrawnUsd: 0, unknown: 0, feesUsd: 0, depositLamports: 0 };
  for (const item of items) {
    sums.depositLamports += item.tokenAccountDepositLamports;
    if (item.serviceFeeLamports && item.priceUsd) sums.feesUsd += lamportsToUsd(item.serviceFeeLamports, item.priceUsd);
    const incoming = item.type === "round_up" || item.type === "deposit";
    if (item.status === "failed" || (!incoming && item.type !== "withdrawal")) continue;
    if (item.usdValue === null) sums.unknown += 1;
    else if (incoming) sums.contributedUsd += item.usdValue;
    else sums.withdrawnUsd += item.usdValue;
  }
  return sums;
}

/**
 * What savings are worth, deposits included, US dollars. Of a history that is read in part, deposits may have come back that
 * nobody saw go in: never less than nothing.
 */
export const worthWithDeposits = (totalUsd: number, { depositLamports }: HistorySums, solPriceUsd: number): number =>
  Math.max(0, totalUsd + lamportsToUsd(depositLamports, solPriceUsd));

/** What was gained since the start, to the cent of the figures that it stands beside: they visibly agree. US dollars. */
export const gainOf = (worthUsd: number, { contributedUsd, withdrawnUsd }: HistorySums): number =>
  toCents(toCents(worthUsd) + toCents(withdrawnUsd) - toCents(contributedUsd));

/** A change as a share of what was put in, after its amount; nothing where it would be 0.0 %. */
export function shareText(usd: number, ofUsd: number): string {
  return usd / ofUsd < 0.0005 ? "" : ` (${percentText(usd / ofUsd, 1)})`;
}
