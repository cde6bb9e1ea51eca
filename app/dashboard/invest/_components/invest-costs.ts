import { computeWorthUsd } from "@/app/dashboard/_components/worth-usd";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundKnownToSum, toShownCents } from "@/lib/domain/shown-sum";
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
 * Computes the costs of a build. Where the market price is known, the loss is the larger one of the price impact and
 * the difference from the market price.
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

/** The USD to display for an investment; null while unknown. `swapsUsd` add up to `swappedUsd`. */
interface ShownInvestment {
  /** What each swap takes, in their order. */
  swapsUsd: (number | null)[];
  swappedUsd: number | null;
  feeUsd: number | null;
  depositUsd: number | null;
  /** `swappedUsd`, `feeUsd` and `depositUsd` together. */
  totalUsd: number | null;
}

/** Rounds an investment for its review. Each swap is rounded separately, as in its receipt and the activity list. */
export function roundInvestment({ transactions, costs }: SwapBuild, { solPriceUsd }: Costs): ShownInvestment {
  const toUsd = (lamports: number) => solPriceUsd && lamportsToUsd(lamports, solPriceUsd);
  const rounded = roundKnownToSum([
    { usd: toUsd(costs.networkFeeLamports), isCost: true },
    { usd: toUsd(costs.tokenAccountDepositLamports) },
    ...transactions.map(({ inputLamports }) => ({ usd: toUsd(inputLamports) })),
  ]);
  if (!rounded)
    return { swapsUsd: transactions.map(() => null), swappedUsd: null, feeUsd: null, depositUsd: null, totalUsd: null };
  const [feeUsd, depositUsd, ...swapsUsd] = rounded.parts as [number, number, ...number[]];
  const swappedUsd = swapsUsd.reduce((cents, usd) => cents + toShownCents(usd), 0) / 100;
  return { swapsUsd, swappedUsd, feeUsd, depositUsd, totalUsd: rounded.totalUsd };
}
