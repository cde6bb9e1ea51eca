/** The costs of a build's transactions, in lamports. */
interface Costs {
  networkFeeLamports: number;
  tokenAccountDepositLamports: number;
}

/** The most that a transaction costs, as its bytes show. */
interface CostBounds {
  networkFeeLamports: bigint;
  maxDepositLamports: bigint;
}

/**
 * Replaces the costs that the service states by the most that the bytes of the transactions allow. A review then never
 * shows the service's word for a network fee or a deposit.
 */
export const boundCosts = <Stated extends Costs>(costs: Stated, transactions: readonly CostBounds[]): Stated => ({
  ...costs,
  networkFeeLamports: sumMember(transactions, "networkFeeLamports"),
  tokenAccountDepositLamports: sumMember(transactions, "maxDepositLamports"),
});

const sumMember = (transactions: readonly CostBounds[], member: keyof CostBounds) =>
  Number(transactions.reduce((sum, transaction) => sum + transaction[member], 0n));
