import type { ActivityItem } from "@/app/_client/queries/activity";
import type { Portfolio } from "@/app/_client/queries/queries";
import { formatPercent } from "@/app/_components/money";
import { fromMicroUsd, isUnderCent, lamportsToUsd, roundToCents, roundToMicro, toCoins } from "@/lib/domain/money";
import { roundToAddUp, roundToSum } from "@/lib/domain/shown-sum";
import { ESTIMATED_FEE_LAMPORTS } from "@/lib/solana/fees";

export interface HistorySums {
  /** USD that came in, at the price of the transaction's day. */
  contributedUsd: number;
  /** USD that went out, at the price of the transaction's day. */
  withdrawnUsd: number;
  /** Number of transfers without a known value. Neither sum includes them. */
  unknownCount: number;
  /** USD of service fees. A fee without a price at that time is valued at the price that its saving implies. */
  feesUsd: number;
  /** Refundable rent locked in token accounts. Negative if a partial history contains a refund without its deposit. */
  depositLamports: number;
}

/**
 * Returns the USD to display, rounded to the nearest cent unless it is under one cent. Returns null for an unknown value.
 * The review of the same saving can differ by a cent: it gives the saved amount the cents that its sum lacks, and it uses
 * the price at the build. `usdValue` uses the price at the landing.
 */
export const toShownUsd = ({ usdValue }: Pick<ActivityItem, "usdValue">): number | null =>
  usdValue === null || isUnderCent(usdValue) ? usdValue : roundToCents(usdValue);

/** Returns the worth of base units of USDC, USD. Null counts as 0. */
export const toUsdcUsd = (units: number | null): number => fromMicroUsd(BigInt(units ?? 0));

/** Returns a transaction's fees, USD, rounded as in its review. Estimates an unknown network fee. Null without a price. */
export function roundFees(
  item: Pick<ActivityItem, "serviceFeeLamports" | "serviceFeeUnits" | "networkFeeLamports" | "priceUsd">,
): { serviceFeeUsd: number; networkFeeUsd: number } | null {
  const { serviceFeeLamports, serviceFeeUnits, networkFeeLamports, priceUsd } = item;
  if (priceUsd === null) return null;
  const { parts } = roundToSum([
    { usd: lamportsToUsd(serviceFeeLamports ?? 0, priceUsd) + toUsdcUsd(serviceFeeUnits), isCost: true },
    { usd: lamportsToUsd(networkFeeLamports ?? Number(ESTIMATED_FEE_LAMPORTS), priceUsd), isCost: true },
  ]);
  const [serviceFeeUsd, networkFeeUsd] = parts as [number, number];
  return { serviceFeeUsd, networkFeeUsd };
}

/** Returns USD per SOL at the time of a transaction, or what the value of the SOL that arrived implies. Null if unknown. */
function findSolPriceUsd({ priceUsd, usdValue, amounts }: ActivityItem): number | null {
  const arrivedSol = amounts.find(({ symbol }) => symbol === "SOL")?.change ?? 0;
  return priceUsd ?? (usdValue !== null && arrivedSol > 0 ? usdValue / arrivedSol : null);
}

/** Adds up a service wallet's history, as its rows are displayed. */
export function sumHistory(items: readonly ActivityItem[]): HistorySums {
  const sums = { contributedUsd: 0, withdrawnUsd: 0, unknownCount: 0, feesUsd: 0, depositLamports: 0 };
  for (const item of items) {
    sums.depositLamports += item.tokenAccountDepositLamports;
    if (item.serviceFeeLamports) sums.feesUsd += lamportsToUsd(item.serviceFeeLamports, findSolPriceUsd(item) ?? 0);
    // A fee in USDC counts as dollars, as its saving does.
    sums.feesUsd += toUsdcUsd(item.serviceFeeUnits);
    const isIncoming = item.type === "round_up" || item.type === "deposit";
    if (item.status === "failed" || (!isIncoming && item.type !== "withdrawal")) continue;
    const usd = toShownUsd(item);
    if (usd === null) sums.unknownCount += 1;
    else if (isIncoming) sums.contributedUsd = roundToMicro(sums.contributedUsd + usd + computeGivenDepositUsd(item));
    else sums.withdrawnUsd = roundToMicro(sums.withdrawnUsd + usd);
  }
  return sums;
}

/** Returns the USD that the main wallet paid to open this wallet's USDC account. No saving's value includes it. */
function computeGivenDepositUsd(item: ActivityItem): number {
  if (item.type !== "round_up" || !item.serviceFeeUnits) return 0;
  const ownLamports = Number(item.amounts.find(({ symbol }) => symbol === "SOL")?.amount ?? 0);
  return lamportsToUsd(Math.max(0, item.tokenAccountDepositLamports + ownLamports), item.priceUsd ?? 0);
}

/** Returns the worth of refundable deposits, USD; 0 for the negative sum of a partial history. */
const computeDepositsUsd = ({ depositLamports }: HistorySums, solPriceUsd: number): number =>
  lamportsToUsd(Math.max(0, depositLamports), solPriceUsd);

/** Returns the worth of the savings including deposits, USD. */
export const addDeposits = (totalUsd: number, sums: HistorySums, solPriceUsd: number): number =>
  totalUsd + computeDepositsUsd(sums, solPriceUsd);

/** Rounds the savings, so that every place shows the same figures. The known parts add up to `worthUsd`. */
export function roundSavings(portfolio: Portfolio, sums: HistorySums | undefined) {
  const { balances, totalUsd, solPriceUsd } = portfolio;
  const valuesUsd = balances.map(({ usdValue }) => usdValue);
  if (totalUsd === null) return { worthUsd: null, depositsUsd: 0, valuesUsd };
  const exactDepositsUsd = sums && solPriceUsd !== null ? computeDepositsUsd(sums, solPriceUsd) : 0;
  const shownUsd = roundToAddUp([...valuesUsd, exactDepositsUsd]);
  return {
    worthUsd: toShownUsd({ usdValue: totalUsd + exactDepositsUsd }),
    depositsUsd: shownUsd.at(-1)!,
    valuesUsd: shownUsd.slice(0, -1),
  };
}

/** Returns the gain since the start, USD. All figures are rounded first, so that the gain agrees with those shown. */
export const computeGainUsd = (worthUsd: number, { contributedUsd, withdrawnUsd }: HistorySums): number =>
  roundToCents(roundToCents(worthUsd) + roundToCents(withdrawnUsd) - roundToCents(contributedUsd));

/** Formats a change of at least 0 as a share of the contributions: " (1.2 %)". Empty where that would be 0.0 %. */
export function formatShare(changeUsd: number, contributedUsd: number): string {
  return changeUsd / contributedUsd < 0.0005 ? "" : ` (${formatPercent(changeUsd / contributedUsd, 1)})`;
}

/** Returns the worth of base units, USD, or null without a price. */
export const computeWorthUsd = (
  amount: string,
  decimals: number,
  priceUsd: number | null | undefined,
): number | null => (priceUsd ? toCoins(BigInt(amount), decimals) * priceUsd : null);
