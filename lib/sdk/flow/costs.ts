interface Costs {
  tokenAccountDepositLamports: number;
}

/**
 * Replaces the deposits that the service states by the most that the bytes of the transactions allow. A review then
 * never shows the service's word for a deposit. The network fee is a node's figure, and verified to lie within what the
 * bytes allow.
 * @returns also `expectedDepositLamports`, the service's figure where it is lower, for what arrives with a withdrawal
 */
export function boundCosts<Stated extends Costs>(
  costs: Stated,
  transactions: readonly { maxDepositLamports: bigint }[],
): Stated & { expectedDepositLamports: number } {
  const maxLamports = Number(transactions.reduce((sum, { maxDepositLamports }) => sum + maxDepositLamports, 0n));
  const expectedDepositLamports = Math.min(costs.tokenAccountDepositLamports, maxLamports);
  return { ...costs, tokenAccountDepositLamports: maxLamports, expectedDepositLamports };
}
