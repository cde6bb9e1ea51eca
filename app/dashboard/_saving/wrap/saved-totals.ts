import { lamportsToUsd, roundToMicro, toCents } from "@/lib/domain/money";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";

/**
 * Returns the fee to display between the given and the kept amount, USD. Uses the difference of the displayed cents, so
 * that the three visibly add up. A fee below one cent is returned unrounded.
 */
export function feeBetween(givenUsd: number, keptUsd: number, feeUsd: number): number {
  const left = toCents(toCents(givenUsd) - toCents(keptUsd));
  return left > 0 ? left : feeUsd;
}

export interface SavedTotals {
  /** Lamports that reached the savings wallet, deposit included, as the chain and the activity list show. */
  lamports: number;
  /** USD, null while no price is known. */
  usd: number | null;
  /** Lamports of that amount that are the wallet's own minimum. */
  depositLamports: number;
  /** USD the person gave, without the deposit. */
  givenUsd: number;
  /** USD of service fee, computed by feeBetween. */
  feeUsd: number;
}

/** Adds up several saves. */
export function sumSaved(done: WrapRecord[]): SavedTotals {
  const sums: SavedTotals = { lamports: 0, usd: 0, depositLamports: 0, givenUsd: 0, feeUsd: 0 };
  for (const { breakdown } of done) {
    const lamports = breakdown.userInvestmentLamports + breakdown.activationLamports;
    const price = breakdown.solPriceUsd;
    sums.lamports += lamports;
    sums.usd = sums.usd === null || price === null ? null : sums.usd + lamportsToUsd(lamports, price);
    sums.depositLamports += breakdown.activationLamports;
    sums.givenUsd = roundToMicro(sums.givenUsd + breakdown.roundUpUsd);
    sums.feeUsd = roundToMicro(sums.feeUsd + breakdown.serviceFeeUsd);
  }
  const keptUsd = roundToMicro(sums.givenUsd - sums.feeUsd);
  return { ...sums, feeUsd: feeBetween(sums.givenUsd, keptUsd, sums.feeUsd) };
}
