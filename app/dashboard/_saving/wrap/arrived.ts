import { lamportsToUsd, roundToMicro, toCents } from "@/lib/domain/money";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";

/**
 * A fee as it is shown between what was given and what is kept of it, all USD: what their cents leave, so that the three add
 * up to the eye; of less than a cent, what it is.
 */
export function feeBetween(givenUsd: number, keptUsd: number, feeUsd: number): number {
  const left = toCents(toCents(givenUsd) - toCents(keptUsd));
  return left > 0 ? left : feeUsd;
}

export interface Arrived {
  /** What came to the savings wallet, its deposit included: what the chain and the activity say of it, too. */
  lamports: number;
  /** USD, null while no price is known. */
  usd: number | null;
  /** Of it, the wallet's own minimum. */
  depositLamports: number;
  /** USD that the person gave, without the deposit. */
  givenUsd: number;
  /** USD of what was given that went to the service, as feeBetween. */
  feeUsd: number;
}

/** What several savings came to. */
export function arrivedOf(done: WrapRecord[]): Arrived {
  const sums: Arrived = { lamports: 0, usd: 0, depositLamports: 0, givenUsd: 0, feeUsd: 0 };
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
