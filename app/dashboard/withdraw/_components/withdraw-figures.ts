import type { ActivityItem, ActivityPage } from "@/app/_client/queries/activity";
import type { Portfolio } from "@/app/_client/queries/queries";
import { computeWorthUsd } from "@/app/dashboard/_components/activity-sums";
import { findKnownTokenByMint } from "@/lib/domain/assets";
import { lamportsToUsd, solToLamports } from "@/lib/domain/money";
import { roundToAddUp } from "@/lib/domain/shown-sum";
import type { CashOutBuild } from "@/lib/sdk/flow/cash-out";
import type { WithdrawBuild, WithdrawnAsset } from "@/lib/sdk/flow/withdraw";
import type { WithdrawRequest } from "@/lib/sdk/requests";
import { ESTIMATED_FEE_LAMPORTS } from "@/lib/solana/fees";
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

/** Returns the activity's items of these transactions that its node has decoded. */
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

/** Lamports to send tokens later: an account's deposit (2,039,280), the wallet's minimum (890,880) and fees. */
export const LAMPORTS_NEEDED_TO_SEND_TOKENS = 3_000_000n;

/**
 * Returns the symbols of the tokens that this withdrawal would leave without enough SOL to be sent later. An `asset` of
 * null withdraws everything, and an `amountBaseUnits` of null the whole asset.
 */
export function listStrandedTokenSymbols(
  { balances }: Portfolio,
  { asset, amountBaseUnits }: Pick<WithdrawRequest, "asset" | "amountBaseUnits">,
  remainingLamports: bigint,
): string[] {
  if (asset === null || remainingLamports >= LAMPORTS_NEEDED_TO_SEND_TOKENS) return [];
  const unsentTokenBalances = balances.filter(
    (balance) => balance.asset !== "SOL" && (findKnownTokenByMint(balance.mint) !== asset || amountBaseUnits !== null),
  );
  return [...new Set(unsentTokenBalances.map(({ symbol }) => symbol))];
}

/** Joins names into a phrase. Counts the names after the second when there are more than three. */
export function joinTokenNames(names: string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more tokens`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "");
}

/**
 * Computes the displayed amounts of a withdrawal that sells first. The SOL pays the network fees of the sales and of the
 * transfer that follows them. That transfer is built later, so its fee is an estimate.
 * @returns `heldUsd` is what the wallet holds already, SOL first. `shownUsd` has one rounded amount for each sale, then
 * the sum of `heldUsd`, then the deposits. `arrivingUsd` has all exact amounts. An unknown amount is null.
 */
export function computeCashOutFigures(
  sales: CashOutBuild["sales"],
  portfolio: Pick<Portfolio, "balances" | "solPriceUsd"> | undefined,
  depositLamports: number,
) {
  const sold = sales.flatMap(({ transactions }) => transactions);
  const feeLamports = sales.reduce((sum, { costs }) => sum + costs.networkFeeLamports, Number(ESTIMATED_FEE_LAMPORTS));
  const balanceLamports = solToLamports(sales[0]!.balanceSol) - BigInt(feeLamports);
  // Tokens that are not sold are sent as they are.
  const unsoldBalances =
    portfolio?.balances.filter(({ asset }) => asset !== "SOL" && !sold.some((sale) => sale.asset === asset)) ?? [];
  const solPriceUsd = portfolio?.solPriceUsd ?? null;
  const toUsd = (lamports: number) => (solPriceUsd === null ? null : lamportsToUsd(lamports, solPriceUsd));
  const heldUsd = [toUsd(Number(balanceLamports)), ...unsoldBalances.map(({ usdValue }) => usdValue)];
  const soldUsd = sold.map(({ quote }) => computeWorthUsd(quote.outputAmount, quote.outputDecimals, quote.priceUsd));
  const knownHeldUsd = heldUsd.filter((usd) => usd !== null);
  const heldSumUsd = knownHeldUsd.length > 0 ? knownHeldUsd.reduce((sum, usd) => sum + usd, 0) : null;
  const shownUsd = roundToAddUp([...soldUsd, heldSumUsd, toUsd(depositLamports)]);
  const arrivingUsd = [...soldUsd, ...heldUsd, toUsd(depositLamports)];
  return { sold, balanceLamports, feeLamports, unsoldBalances, toUsd, heldUsd, shownUsd, arrivingUsd };
}
