import { lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import type { Wrapped } from "@/lib/sdk/flow/wraps";

export interface Arrived {
  /** What came to the savings wallet, its deposit included: what the chain and the activity say of it, too. */
  lamports: number;
  /** USD, null while no price is known. */
  usd: number | null;
  /** Of it, the wallet's own minimum. */
  depositLamports: number;
  /** USD that the person gave, without the deposit. */
  givenUsd: number;
  /** USD of what was given that went to the service. */
  feeUsd: number;
}

/** What several savings came to. */
export function arrivedOf(done: Wrapped[]): Arrived {
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
  return sums;
}
