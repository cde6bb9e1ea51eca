import { fromMicroUsd, lamportsForMicroUsd, lamportsToMicroUsd, toMicroUsd } from "../../../domain/money";

/**
 * Compares a balance with a threshold in dollars.
 * @param solPriceMicroUsd micro-dollars per SOL
 * @returns `remainingUsd`, the dollars missing to the threshold; 0 once it is reached
 */
export function compareWithThreshold(lamports: bigint, solPriceMicroUsd: bigint, thresholdUsd: number) {
  const balanceMicroUsd = lamportsToMicroUsd(lamports, solPriceMicroUsd);
  // A threshold that rounds to 0 micro-dollars counts as 1, so that an empty wallet never reaches it.
  const thresholdMicroUsd = toMicroUsd(thresholdUsd) || 1n;
  const isReached = balanceMicroUsd >= thresholdMicroUsd;
  return {
    balanceUsd: fromMicroUsd(balanceMicroUsd),
    isReached,
    /** The smallest balance that reaches the threshold. */
    thresholdLamports: lamportsForMicroUsd(thresholdMicroUsd, solPriceMicroUsd),
    remainingUsd: isReached ? 0 : fromMicroUsd(thresholdMicroUsd - balanceMicroUsd),
  };
}
