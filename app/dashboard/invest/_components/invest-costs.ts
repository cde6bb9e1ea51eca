import { computeWorthUsd } from "@/app/dashboard/_components/activity-sums";
import { fromMicroUsd, lamportsToUsd } from "@/lib/domain/money";
import { roundToSum, toShownCents } from "@/lib/domain/shown-sum";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

/** The costs of an investment. Shares are relative to what is swapped: 0.01 is 1 %. */
export interface Costs {
  /** USD per SOL; null when unknown. */
  solPriceUsd: number | null;
  /** Share lost to the network fee and to the price. */
  lostShare: number;
  /** Share kept as refundable account deposits. */
  depositShare: number;
}

const HEAVY_COST_SHARE = 0.03;

/** Returns whether the costs deserve a warning. Refundable account deposits do not count. */
export const hasHeavyCosts = ({ lostShare }: Costs): boolean => lostShare > HEAVY_COST_SHARE;

/** Returns what a swap takes, in US dollars. USDC is worth one dollar, because no build takes it otherwise. */
const computeInputUsd = (
  { inputLamports, inputAmount }: SwapBuild["transactions"][number],
  { payWith }: SwapBuild,
  solPriceUsd: number,
): number => (payWith === "USDC" ? fromMicroUsd(BigInt(inputAmount)) : lamportsToUsd(inputLamports, solPriceUsd));

/** Computes a build's costs. The loss is the price impact, or the difference from the market price if larger. */
export function computeCosts(build: SwapBuild): Costs {
  const { costs, transactions, prices } = build;
  const solPriceUsd = prices.SOL ?? null;
  if (solPriceUsd === null) return { solPriceUsd, lostShare: 0, depositShare: 0 };
  let swappedUsd = 0;
  let lostUsd = lamportsToUsd(costs.networkFeeLamports, solPriceUsd);
  for (const swap of transactions) {
    const { quote } = swap;
    const inputUsd = computeInputUsd(swap, build, solPriceUsd);
    const outputUsd = computeWorthUsd(quote.outputAmount, quote.outputDecimals, quote.priceUsd);
    const spreadShare = inputUsd > 0 && outputUsd !== null ? 1 - outputUsd / inputUsd : 0;
    swappedUsd += inputUsd;
    lostUsd += inputUsd * Math.max(quote.priceImpact, spreadShare, 0);
  }
  const computeShare = (usd: number) => (swappedUsd > 0 ? usd / swappedUsd : 0);
  return {
    solPriceUsd,
    lostShare: computeShare(lostUsd),
    depositShare: computeShare(lamportsToUsd(costs.tokenAccountDepositLamports, solPriceUsd)),
  };
}

/**
 * Rounds an investment for its review. Each swap is rounded separately, as in its receipt and the activity list.
 * @returns the USD to display, or null without a price. `swapsUsd` has what each swap takes, which adds up to
 * `swappedUsd`. `totalUsd` is the sum of `swappedUsd`, `feeUsd` and `depositUsd`.
 */
export function roundInvestment(build: SwapBuild, solPriceUsd: number | null) {
  if (solPriceUsd === null) return null;
  const { transactions, costs } = build;
  const { parts, totalUsd } = roundToSum([
    { usd: lamportsToUsd(costs.networkFeeLamports, solPriceUsd), isCost: true },
    { usd: lamportsToUsd(costs.tokenAccountDepositLamports, solPriceUsd) },
    ...transactions.map((swap) => ({ usd: computeInputUsd(swap, build, solPriceUsd) })),
  ]);
  const [feeUsd, depositUsd, ...swapsUsd] = parts as [number, number, ...number[]];
  const swappedUsd = swapsUsd.reduce((cents, usd) => cents + toShownCents(usd), 0) / 100;
  return { swapsUsd, swappedUsd, feeUsd, depositUsd, totalUsd };
}
