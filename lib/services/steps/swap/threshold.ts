import { fromMicroUsd, toMicroUsd } from "../../../domain/money";

/**
 * Compares a balance with a threshold in dollars.
 * @returns `remainingUsd`, the dollars missing to the threshold; 0 once it is reached
 */
export function compareWithThreshold(balanceMicroUsd: bigint, thresholdUsd: number) {
  // A threshold that rounds to 0 micro-dollars counts as 1, so that an empty wallet never reaches it.
  const thresholdMicroUsd = toMicroUsd(thresholdUsd) || 1n;
  const isReached = balanceMicroUsd >= thresholdMicroUsd;
  const remainingUsd = isReached ? 0 : fromMicroUsd(thresholdMicroUsd - balanceMicroUsd);
  return { isReached, thresholdMicroUsd, remainingUsd };
}
