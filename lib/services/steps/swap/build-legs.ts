import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import type { Prices } from "../../../domain/prices/prices";
import type { Deps } from "../../../ports/deps";
import { toQuote } from "./quote";
import { buildVerifiedSwap, dropNeedlessOpenings, planFittingSwap } from "./swap-transaction";

/** One swap to build. */
interface SwapLeg {
  /** The bought asset. */
  asset: AssetSymbol;
  /** Base units of the sold asset. */
  amount: bigint;
}

interface LegTerms {
  wallet: string;
  soldAsset: AssetSymbol;
  slippageBps: number;
  /** The token accounts of the bought assets that are open already. */
  openAccounts: readonly string[];
  prices: Prices;
}

type BuiltSwap = Omit<Awaited<ReturnType<typeof buildVerifiedSwap>>, "networkFeeLamports"> & {
  inputMint: string;
  inputAmount: string;
  quote: ReturnType<typeof toQuote>;
};

interface BuiltLegs {
  /** In the order of the legs; empty with a warning. */
  swaps: BuiltSwap[];
  networkFeeLamports: bigint;
  /** Why the swaps are not built: the venue's offer for one of them is worth less than the price allows. */
  warning: string | null;
}

/**
 * Plans one swap for each leg, checks all offers against the prices, and builds verified transactions.
 * @throws AppError no_route, simulation_failed, upstream_*
 */
export async function buildLegs(deps: Deps, terms: LegTerms, legs: readonly SwapLeg[]): Promise<BuiltLegs> {
  const { wallet, soldAsset, slippageBps, openAccounts, prices } = terms;
  const inputMint = ASSETS[soldAsset].mint;
  const offers = await Promise.all(
    legs.map(async ({ asset, amount }) => {
      const mints = { inputMint, outputMint: ASSETS[asset].mint };
      const plan = await planFittingSwap(deps, { ...mints, amount, slippageBps, taker: wallet });
      return { mints, plan, quote: toQuote(plan, soldAsset, asset, prices) };
    }),
  );
  const warning = offers.find(({ quote }) => quote.warning !== null)?.quote.warning ?? null;
  if (warning !== null) return { swaps: [], networkFeeLamports: 0n, warning };
  const builtSwaps = await Promise.all(
    offers.map(async ({ mints, plan, quote }) => {
      const { inputAmount, minimumOutputAmount: minimumOutput } = plan;
      const swapTerms = { ...mints, wallet, inputAmount, minimumOutput, slippageBps };
      const builtSwap = await buildVerifiedSwap(deps, swapTerms, dropNeedlessOpenings(plan, openAccounts));
      return { ...builtSwap, inputMint, inputAmount: inputAmount.toString(), quote };
    }),
  );
  return {
    swaps: builtSwaps.map(({ networkFeeLamports: _, ...swap }) => swap),
    networkFeeLamports: builtSwaps.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n),
    warning,
  };
}
