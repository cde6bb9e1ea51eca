import { ApiError } from "../calls/api-error";

/**
 * Loads a module on first use.
 * @throws {ApiError} with the code `offline` when the module does not load, so that the person checks the connection
 */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new ApiError("offline", "A part of this program could not be loaded. Check your connection.", { cause });
  }
}

/**
 * Replaces the deposits that the service states by the most that the bytes of the transactions allow, so that a review
 * never shows the service's word for a deposit. The network fee is a node's figure, which the bytes bound.
 * @returns also `expectedDepositLamports`, the service's figure where it is lower, for what arrives with a withdrawal
 */
export function boundCosts<Stated extends { tokenAccountDepositLamports: number }>(
  costs: Stated,
  transactions: readonly { maxDepositLamports: bigint }[],
): Stated & { expectedDepositLamports: number } {
  const maxLamports = Number(transactions.reduce((sum, { maxDepositLamports }) => sum + maxDepositLamports, 0n));
  const expectedDepositLamports = Math.min(costs.tokenAccountDepositLamports, maxLamports);
  return { ...costs, tokenAccountDepositLamports: maxLamports, expectedDepositLamports };
}
