import { lamportsToUsd, toCoins } from "@/lib/domain/money";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

/** The costs of an investment. Shares are relative to the swapped SOL: 0.01 is 1 %. */
export interface Costs {
  /** USD per SOL; null when unknown. */
  solUsd: number | null;
  /** Share lost to the network fee and the price. */
  goneShare: number;
  depositLamports: number;
  depositShare: number;
}

/** Costs above this share trigger a warning. */
const HEAVY_SHARE = 0.03;

/** Returns whether the costs deserve a warning. Refundable deposits do not count. */
export const isHeavy = ({ goneShare }: Costs): boolean => goneShare > HEAVY_SHARE;

/**
 * Computes costs against the market price where it is known, so that the spread counts in addition to the price impact.
 */
export function computeCosts({ balanceSol, balanceUsd, costs, transactions }: SwapBuild): Costs {
  const solUsd = balanceSol > 0 && balanceUsd > 0 ? balanceUsd / balanceSol : null;
  let swapped = 0;
  let lost = 0;
  for (const { inputLamports, quote } of transactions) {
    const spent = solUsd && lamportsToUsd(inputLamports, solUsd);
    const got =
      quote.priceUsd === null ? null : toCoins(BigInt(quote.outputAmount), quote.outputDecimals) * quote.priceUsd;
    const spread = spent && got !== null ? 1 - got / spent : 0;
    swapped += inputLamports;
    lost += inputLamports * Math.max(quote.priceImpact, spread, 0);
  }
  const computeShare = (lamports: number) => (swapped > 0 ? lamports / swapped : 0);
  const depositLamports = costs.tokenAccountDepositLamports;
  return {
    solUsd,
    goneShare: computeShare(costs.networkFeeLamports + lost),
    depositLamports,
    depositShare: computeShare(depositLamports),
  };
}
