/**
 * Replaces the deposits that the service states by the most that the bytes of the transactions allow. A review then
 * never shows the service's word for a deposit. The network fee is a node's figure, and verified to lie within what the
 * bytes allow.
 */
export const boundCosts = <Stated extends { tokenAccountDepositLamports: number }>(
  costs: Stated,
  transactions: readonly { maxDepositLamports: bigint }[],
): Stated => ({
  ...costs,
  tokenAccountDepositLamports: Number(
    transactions.reduce((sum, { maxDepositLamports }) => sum + maxDepositLamports, 0n),
  ),
});
