import { computeWorthUsd } from "@/app/dashboard/_components/worth-usd";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundToSum, toShownCents } from "@/lib/domain/shown-sum";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

/** The costs of an investment. Shares are relative to the swapped SOL: 0.01 is 1 %. */
export interface Costs {
  /** USD per SOL; null when unknown. */
  solPriceUsd: number | null;
  /** Share lost to the network fee and to the price. */
  lostShare: number;
  /** Share kept as refundable account deposits. */
  depositShare: number;
}

/** Costs above this share trigger a warning. */
const HEAVY_COST_SHARE = 0.03;

/** Returns whether the costs deserve a warning. Refundable account deposits do not count. */
export const hasHeavyCosts = ({ lostShare }: Costs): boolean => lostShare > HEAVY_COST_SHARE;

/**
 * Computes the costs of a build. The loss is the price impact, or the difference from the market price where that is
 * known and larger.
 */
export function computeCosts({ balanceSol, balanceUsd, costs, transactions }: SwapBuild): Costs {
  const solPriceUsd = balanceSol > 0 && balanceUsd > 0 ? balanceUsd / balanceSol : null;
  let swappedLamports = 0;
  let lostLamports = 0;
  for (const { inputLamports, quote } of transactions) {
    const inputUsd = solPriceUsd && lamportsToUsd(inputLamports, solPriceUsd);
    const outputUsd = computeWorthUsd(quote.outputAmount, quote.outputDecimals, quote.priceUsd);
    const spreadShare = inputUsd && outputUsd !== null ? 1 - outputUsd / inputUsd : 0;
    swappedLamports += inputLamports;
    lostLamports += inputLamports * Math.max(quote.priceImpact, spreadShare, 0);
  }
  const computeShare = (lamports: number) => (swappedLamports > 0 ? lamports / swappedLamports : 0);
  return {
    solPriceUsd,
    lostShare: computeShare(costs.networkFeeLamports + lostLamports),
    depositShare: computeShare(costs.tokenAccountDepositLamports),
  };
}

/**
 * Rounds an investment for its review. Each swap is rounded separately, as in its receipt and the activity list.
 * @returns the USD to display, or null without a price. `swapsUsd` has what each swap takes, which adds up to
 * `swappedUsd`. `totalUsd` is the sum of `swappedUsd`, `feeUsd` and `depositUsd`.
 */
export function roundInvestment({ transactions, costs }: SwapBuild, solPriceUsd: number | null) {
  if (solPriceUsd === null) return null;
  const toUsd = (lamports: number) => lamportsToUsd(lamports, solPriceUsd);
  const { parts, totalUsd } = roundToSum([
    { usd: toUsd(costs.networkFeeLamports), isCost: true },
    { usd: toUsd(costs.tokenAccountDepositLamports) },
    ...transactions.map(({ inputLamports }) => ({ usd: toUsd(inputLamports) })),
  ]);
  const [feeUsd, depositUsd, ...swapsUsd] = parts as [number, number, ...number[]];
  const swappedUsd = swapsUsd.reduce((cents, usd) => cents + toShownCents(usd), 0) / 100;
  return { swapsUsd, swappedUsd, feeUsd, depositUsd, totalUsd };
}
