import type { WithdrawBuild, WithdrawnAsset } from "@/lib/sdk/flow/withdraw";

/** Adds up the amounts sent by several transactions, by mint. SOL comes last, because it is sent last. */
export function sumArrivals(sentAssets: WithdrawnAsset[]): WithdrawnAsset[] {
  const sums = new Map<string, WithdrawnAsset>();
  for (const asset of sentAssets) {
    const key = asset.symbol === "SOL" ? "SOL" : asset.mint;
    const previousAmount = BigInt(sums.get(key)?.amount ?? 0);
    sums.set(key, { ...asset, amount: (previousAmount + BigInt(asset.amount)).toString() });
  }
  return [...sums.values()].sort((left, right) => Number(left.symbol === "SOL") - Number(right.symbol === "SOL"));
}

/** Adds up amounts in USD. Returns null when any of them is unknown. */
export const sumUsdOrNull = (amountsUsd: (number | null)[]): number | null =>
  amountsUsd.reduce((sum, usd) => (sum === null || usd === null ? null : sum + usd), 0);

/** Says where the deposits of closed token accounts go. Deposits at the receiver are paid from them first. */
export function describeReturnedDeposits({
  costs: { returnedDepositLamports, tokenAccountDepositLamports: paidLamports },
  receivedLamports,
}: Pick<WithdrawBuild, "costs" | "receivedLamports">): string {
  const restText = receivedLamports > 0 ? "included in the SOL above" : "kept in your savings wallet";
  if (paidLamports === 0) return `From closed token accounts; ${restText}`;
  const paidText = "From closed token accounts; used for the account deposit above";
  return returnedDepositLamports > paidLamports ? `${paidText}, the rest ${restText}` : paidText;
}
