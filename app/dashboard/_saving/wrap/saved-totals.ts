import { lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import { roundToSum, toShownCents } from "@/lib/domain/shown-sum";
import type { WrapBreakdown, WrapRecord } from "@/lib/sdk/flow/wraps";
import { computeHighestRent } from "@/lib/solana/rent";

/** The USD to display for one saving or top-up. `arrivedUsd` and `feesUsd` add up to `totalUsd`. */
interface ShownWrap {
  /** What arrives in the savings wallet, its deposit included. */
  arrivedUsd: number;
  /** The service fee and the network fee together. */
  feesUsd: number;
  serviceFeeUsd: number;
  networkFeeUsd: number;
  totalUsd: number;
}

/** Rounds a saving for its review and its receipt. Returns null while no price is known. */
export function roundWrap(breakdown: WrapBreakdown): ShownWrap | null {
  const { solPriceUsd, serviceFeeLamports, networkFeeLamports } = breakdown;
  if (solPriceUsd === null) return null;
  const toUsd = (lamports: number) => lamportsToUsd(lamports, solPriceUsd);
  const { parts: partsUsd, totalUsd } = roundToSum([
    { usd: toUsd(computeArrivedLamports(breakdown)) },
    { usd: toUsd(serviceFeeLamports), isCost: true },
    { usd: toUsd(networkFeeLamports), isCost: true },
  ]);
  const [arrivedUsd, serviceFeeUsd, networkFeeUsd] = partsUsd as [number, number, number];
  const feesUsd = (toShownCents(serviceFeeUsd) + toShownCents(networkFeeUsd)) / 100;
  return { arrivedUsd, feesUsd, serviceFeeUsd, networkFeeUsd, totalUsd };
}

/** Returns the lamports that reach the savings wallet, as the chain and the activity list show. */
export const computeArrivedLamports = ({ userInvestmentLamports, activationLamports }: WrapBreakdown): number =>
  userInvestmentLamports + activationLamports;

/**
 * Returns the most lamports of this saving that Solana keeps in the savings wallet as a deposit. The first saving pays
 * the deposit, and the service adds what is missing as the activation.
 * @param isFirst whether the savings wallet is empty before this saving
 */
export const computeWalletDepositLamports = (breakdown: WrapBreakdown, isFirst: boolean): number =>
  isFirst || breakdown.activationLamports > 0
    ? Math.min(computeArrivedLamports(breakdown), Number(computeHighestRent(0n)))
    : 0;

interface SavedTotals {
  /** Lamports that reached the savings wallet, the deposit included. */
  arrivedLamports: number;
  /** Lamports of `arrivedLamports` that are a deposit. Only the deposit of a saving with an activation is known. */
  depositLamports: number;
  /** USD to display for `arrivedLamports`; null while no price is known. */
  arrivedUsd: number | null;
  /** USD to display for all that left the main wallet; null while no price is known. */
  paidUsd: number | null;
  /** USD to display for the fees in `paidUsd`; null while no price is known. */
  feesUsd: number | null;
}

/** Adds up several savings, as their reviews displayed them. */
export function sumSavings(records: WrapRecord[]): SavedTotals {
  const sums: SavedTotals = { arrivedLamports: 0, depositLamports: 0, arrivedUsd: 0, paidUsd: 0, feesUsd: 0 };
  for (const { breakdown } of records) {
    const shownUsd = roundWrap(breakdown);
    sums.arrivedLamports += computeArrivedLamports(breakdown);
    sums.depositLamports += computeWalletDepositLamports(breakdown, false);
    sums.arrivedUsd = addKnown(sums.arrivedUsd, shownUsd?.arrivedUsd);
    sums.paidUsd = addKnown(sums.paidUsd, shownUsd?.totalUsd);
    sums.feesUsd = addKnown(sums.feesUsd, shownUsd?.feesUsd);
  }
  return sums;
}

/** Returns the sum, USD, or null if either amount is unknown. */
const addKnown = (sumUsd: number | null, usd: number | undefined) =>
  sumUsd === null || usd === undefined ? null : roundToMicro(sumUsd + usd);
