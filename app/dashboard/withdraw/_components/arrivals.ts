import type { ActivityItem, ActivityPage } from "@/app/_client/queries/activity";
import type { WithdrawBuild, WithdrawnAsset } from "@/lib/sdk/flow/withdraw";
import { NATIVE_MINT } from "@/lib/solana/programs";

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

/**
 * Returns the activity's items of these transactions. Leaves out those that the activity lacks, or lists without
 * amounts: its node did not have the transaction yet.
 */
export const findDecodedItems = (activity: Pick<ActivityPage, "items"> | undefined, steps: { txSignature: string }[]) =>
  steps.flatMap(
    (step) => activity?.items.find((item) => item.txSignature === step.txSignature && item.amounts.length > 0) ?? [],
  );

/**
 * Returns the lamports that a landed withdrawal paid for token accounts at the destination. They left the wallet beyond
 * the SOL that was sent. They are fewer than the build says if someone opened such an account first.
 */
export function computePaidDepositLamports(
  { tokenAccountDepositLamports, amounts }: ActivityItem,
  sentAssets: WithdrawnAsset[],
) {
  const sumLamports = (assets: { mint: string; amount: string }[]) =>
    assets.reduce((sum, { mint, amount }) => (mint === NATIVE_MINT ? sum + Number(amount) : sum), 0);
  return -sumLamports(amounts) - tokenAccountDepositLamports - sumLamports(sentAssets);
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
