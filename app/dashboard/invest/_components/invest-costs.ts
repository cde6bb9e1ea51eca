import { lamportsToUsd, toCoins } from "@/lib/domain/money";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

/** What an investment costs. Shares are of the SOL that is swapped: 0.01 is 1 %. */
export interface Costs {
  /** USD for one SOL, null when it cannot be told. */
  solUsd: number | null;
  /** Network fee, and what is lost to the price. */
  goneShare: number;
  depositLamports: number;
  depositShare: number;
}

/** Above this share of the amount, costs are worth a warning. */
const HEAVY = 0.03;

/** What comes back is no cost. */
export const isHeavy = ({ goneShare }: Costs): boolean => goneShare > HEAVY;

/** Against the market's price where it is known, so that a spread counts and not only the impact. */
export function costsOf({ balanceSol, balanceUsd, costs, transactions }: SwapBuild): Costs {
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
  const of = (lamports: number) => (swapped > 0 ? lamports / swapped : 0);
  const depositLamports = costs.tokenAccountDepositLamports;
  return {
    solUsd,
    goneShare: of(costs.networkFeeLamports + lost),
    depositLamports,
    depositShare: of(depositLamports),
  };
}
