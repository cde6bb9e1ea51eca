import { fromMicroUsd, lamportsForMicroUsd, lamportsToMicroUsd, toMicroUsd } from "../../../domain/money";

/** A balance against a threshold, both in dollars at one price. */
export function compareWithThreshold(lamports: bigint, solPrice: bigint, thresholdUsd: number) {
  const balance = lamportsToMicroUsd(lamports, solPrice);
  // A threshold above 0 is never reached by nothing.
  const threshold = toMicroUsd(thresholdUsd) || 1n;
  return {
    balanceUsd: fromMicroUsd(balance),
    reached: balance >= threshold,
    /** The least balance that reaches it. */
    thresholdLamports: lamportsForMicroUsd(threshold, solPrice),
    remaining: balance >= threshold ? 0 : fromMicroUsd(threshold - balance),
  };
}
