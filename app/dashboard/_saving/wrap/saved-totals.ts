import { lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import { splitGiven } from "@/lib/domain/shown-sum";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";

export interface SavedTotals {
  /** Lamports that reached the savings wallet, deposit included, as the chain and the activity list show. */
  lamports: number;
  /** USD to display, null while no price is known. The kept part of the given amount, and the deposit. */
  usd: number | null;
  /** Lamports of that amount that are the wallet's own minimum. */
  depositLamports: number;
  /** USD the person gave, without the deposit. */
  givenUsd: number;
  /** USD of service fee to display. */
  feeUsd: number;
}

/** Adds up several saves. */
export function sumSaved(done: WrapRecord[]): SavedTotals {
  const sums = { lamports: 0, depositLamports: 0, givenUsd: 0 };
  let feeUsd = 0;
  let depositUsd: number | null = 0;
  for (const { breakdown } of done) {
    const { activationLamports, solPriceUsd } = breakdown;
    sums.lamports += breakdown.userInvestmentLamports + activationLamports;
    sums.depositLamports += activationLamports;
    sums.givenUsd = roundToMicro(sums.givenUsd + breakdown.roundUpUsd);
    feeUsd = roundToMicro(feeUsd + breakdown.serviceFeeUsd);
    depositUsd =
      depositUsd === null || solPriceUsd === null ? null : depositUsd + lamportsToUsd(activationLamports, solPriceUsd);
  }
  const [arrivedUsd, shownFeeUsd] = splitGiven(sums.givenUsd - feeUsd + (depositUsd ?? 0), feeUsd);
  return { ...sums, usd: depositUsd === null ? null : arrivedUsd!, feeUsd: shownFeeUsd! };
}
