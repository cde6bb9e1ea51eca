import { fromMicroUsd, lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import { roundToSum, toShownCents } from "@/lib/domain/shown-sum";
import type { WrapBreakdown, WrapRecord } from "@/lib/sdk/flow/wraps";
import { computeHighestRent } from "@/lib/solana/rent";

/** The USD to display for one saving or top-up. `arrivedUsd`, `depositUsd` and `feesUsd` add up to `totalUsd`. */
interface ShownWrap {
  /** What arrives in the savings wallet; of a saving in SOL, its deposit included. */
  arrivedUsd: number;
  /** The deposit of the savings wallet's USDC account, which the saving opens. */
  depositUsd: number;
  /** The service fee and the network fee together. */
  feesUsd: number;
  serviceFeeUsd: number;
  networkFeeUsd: number;
  totalUsd: number;
}

/** Rounds a saving for its review and its receipt. Returns null while no price is known. */
export function roundWrap(breakdown: WrapBreakdown): ShownWrap | null {
  const { solPriceUsd, serviceFeeLamports, networkFeeLamports, tokenAccountDepositLamports } = breakdown;
  if (solPriceUsd === null) return null;
  const toUsd = (lamports: number) => lamportsToUsd(lamports, solPriceUsd);
  // One base unit of USDC is a micro-dollar: the service saves in USDC only while it is worth a dollar.
  const { parts: partsUsd, totalUsd } = roundToSum([
    { usd: toUsd(computeArrivedLamports(breakdown)) + fromMicroUsd(BigInt(breakdown.userInvestmentUnits)) },
    { usd: toUsd(tokenAccountDepositLamports) },
    { usd: toUsd(serviceFeeLamports) + fromMicroUsd(BigInt(breakdown.serviceFeeUnits)), isCost: true },
    { usd: toUsd(networkFeeLamports), isCost: true },
  ]);
  const [arrivedUsd, depositUsd, serviceFeeUsd, networkFeeUsd] = partsUsd as [number, number, number, number];
  const feesUsd = (toShownCents(serviceFeeUsd) + toShownCents(networkFeeUsd)) / 100;
  return { arrivedUsd, depositUsd, feesUsd, serviceFeeUsd, networkFeeUsd, totalUsd };
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
  /** Base units of USDC that reached it. */
  arrivedUnits: number;
  /** Lamports of `arrivedLamports` that are a deposit. Only the deposit of a saving with an activation is known. */
  depositLamports: number;
  /** The most lamports that opened the savings wallet's USDC account. `arrivedLamports` does not include them. */
  accountDepositLamports: number;
  /** USD to display for what arrived; null while no price is known. */
  arrivedUsd: number | null;
  /** USD to display for all that was paid; null while no price is known. */
  paidUsd: number | null;
  /** USD to display for the fees in `paidUsd`; null while no price is known. */
  feesUsd: number | null;
}

/** Adds up several savings, as their reviews displayed them. */
export function sumSavings(records: WrapRecord[]): SavedTotals {
  const sums: SavedTotals = {
    ...{ arrivedLamports: 0, arrivedUnits: 0, depositLamports: 0, accountDepositLamports: 0 },
    ...{ arrivedUsd: 0, paidUsd: 0, feesUsd: 0 },
  };
  for (const { breakdown } of records) {
    const shownUsd = roundWrap(breakdown);
    sums.arrivedLamports += computeArrivedLamports(breakdown);
    sums.arrivedUnits += breakdown.userInvestmentUnits;
    sums.depositLamports += computeWalletDepositLamports(breakdown, false);
    sums.accountDepositLamports += breakdown.tokenAccountDepositLamports;
    sums.arrivedUsd = addKnown(sums.arrivedUsd, shownUsd?.arrivedUsd);
    sums.paidUsd = addKnown(sums.paidUsd, shownUsd?.totalUsd);
    sums.feesUsd = addKnown(sums.feesUsd, shownUsd?.feesUsd);
  }
  return sums;
}

/** Returns the sum, USD, or null if either amount is unknown. */
const addKnown = (sumUsd: number | null, usd: number | undefined) =>
  sumUsd === null || usd === undefined ? null : roundToMicro(sumUsd + usd);
