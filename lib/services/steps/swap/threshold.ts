import { fromMicroUsd, lamportsForMicroUsd, lamportsToMicroUsd, toMicroUsd } from "../../../domain/money";

/** Compares a balance with a threshold in dollars. @param solPrice micro-dollars per SOL */
export function compareWithThreshold(lamports: bigint, solPrice: bigint, thresholdUsd: number) {
  const balance = lamportsToMicroUsd(lamports, solPrice);
  // A threshold that rounds to 0 micro-dollars counts as 1, so that an empty wallet never reaches it.
  const threshold = toMicroUsd(thresholdUsd) || 1n;
  return {
    balanceUsd: fromMicroUsd(balance),
    reached: balance >= threshold,
    /** The smallest balance that reaches the threshold. */
    thresholdLamports: lamportsForMicroUsd(threshold, solPrice),
    remaining: balance >= threshold ? 0 : fromMicroUsd(threshold - balance),
  };
}
