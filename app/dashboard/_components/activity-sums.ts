import type { Portfolio } from "@/app/_client/queries/queries";
import type { ActivityItem } from "@/app/_client/queries/use-activity";
import { formatPercent } from "@/app/_components/money";
import { isUnderCent, lamportsToUsd, roundToMicro, toCents } from "@/lib/domain/money";
import { roundToSum } from "@/lib/domain/shown-sum";

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
 * Returns the worth of refundable deposits, USD. They count as at least zero: a partial history can contain a refund
 * without its deposit.
 */
const computeDepositsUsd = ({ depositLamports }: HistorySums, solPriceUsd: number): number =>
  lamportsToUsd(Math.max(0, depositLamports), solPriceUsd);

/** Returns the worth of the savings including deposits, USD. */
export const addDeposits = (totalUsd: number, sums: HistorySums, solPriceUsd: number): number =>
  totalUsd + computeDepositsUsd(sums, solPriceUsd);

/** The US dollars to display for the savings; null where unknown. Known amounts add up to `worthUsd`. */
interface ShownSavings {
  worthUsd: number | null;
  /** 0 while unknown. */
  depositsUsd: number;
  /** The values of the balances, in their order. */
  valuesUsd: (number | null)[];
}

/** Rounds the savings for every place that shows them. @param sums undefined while the history is unknown */
export function roundSavings(portfolio: Portfolio, sums: HistorySums | undefined): ShownSavings {
  const { balances, totalUsd, solPriceUsd } = portfolio;
  const valuesUsd = balances.map(({ usdValue }) => usdValue);
  if (totalUsd === null) return { worthUsd: null, depositsUsd: 0, valuesUsd };
  const deposits = sums && solPriceUsd !== null ? computeDepositsUsd(sums, solPriceUsd) : 0;
  const known = [...valuesUsd.filter((usd) => usd !== null), deposits];
  const exactUsd = totalUsd + deposits;
  const shown = roundToSum(
    known.map((usd) => ({ usd })),
    exactUsd,
  );
  const parts = [...shown.parts];
  const depositsUsd = parts.pop()!;
  const worthUsd = isUnderCent(exactUsd) ? exactUsd : shown.totalUsd;
  return { worthUsd, depositsUsd, valuesUsd: valuesUsd.map((usd) => (usd === null ? null : parts.shift()!)) };
}

/** Returns the gain since the start, USD. Computed from cents, so that it agrees with the figures shown beside it. */
export const computeGain = (worthUsd: number, { contributedUsd, withdrawnUsd }: HistorySums): number =>
  toCents(toCents(worthUsd) + toCents(withdrawnUsd) - toCents(contributedUsd));

/** Formats a change as a share of what was put in. Returns an empty string when the share would round to 0.0 %. */
export function formatShare(usd: number, ofUsd: number): string {
  return usd / ofUsd < 0.0005 ? "" : ` (${formatPercent(usd / ofUsd, 1)})`;
}
