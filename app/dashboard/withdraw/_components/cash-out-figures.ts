import type { Portfolio } from "@/app/_client/queries/queries";
import { computeWorthUsd } from "@/app/dashboard/_components/worth-usd";
import { lamportsToUsd, solToLamports } from "@/lib/domain/money";
import { roundToAddUp } from "@/lib/domain/shown-sum";
import type { CashOutBuild } from "@/lib/sdk/flow/cash-out";
import { ESTIMATED_FEE_LAMPORTS } from "@/lib/solana/fees";

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
