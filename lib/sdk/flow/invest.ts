import type { buildSwapContract } from "../../contracts/build-swap";
import type { DataOf } from "../../contracts/define";
import type { Allocation } from "../../domain/allocations";
import type { AssetSymbol } from "../../domain/assets";
import { fromMicroUsd, toMicroUsd } from "../../domain/money";
import type { NamedNetwork } from "../../domain/signed-texts";
import type { InvestRequest } from "../requests";
import { addPrices, type BuildPrices, hasOutputFallenBelow } from "./swaps";
import type { FlowSpec } from "./types";
import { boundCosts, loadModule } from "./verification";

export type SwapBuild = DataOf<typeof buildSwapContract> & BuildPrices;

export interface InvestmentRecord {
  asset: AssetSymbol;
  /** 0 if USDC pays. */
  inputLamports: number;
  /** Base units of the asset that pays. */
  inputAmount: string;
  /** The quoted output, base units. Only the chain knows the actual output. */
  expected: string;
  /** The minimum output, base units. The swap fails below it. */
  minimum: string;
  decimals: number;
}

/** The threshold for the rest of an investment, US dollars. The whole investment had reached the requested one. */
export const ANY_THRESHOLD_USD = 0.01;

/** 100 %, in millionths of a percent: the unit in which the service checks the sum. */
const WHOLE_MICRO_PERCENT = 100_000_000n;

/** Returns the allocations not bought yet, in the same proportions. Returns null when none of them needs a swap. */
export function findRemainingAllocations(
  { allocations, payWith = "SOL" }: Pick<InvestRequest, "allocations" | "payWith">,
  boughtAssets: AssetSymbol[],
): Allocation[] | null {
  const remaining = allocations.filter(({ asset }) => !boughtAssets.includes(asset));
  const firstTraded = remaining.find(({ asset }) => asset !== payWith);
  if (!firstTraded) return null;
  // Percents have six decimals, as dollars do.
  const weights = remaining.map(({ pct }) => toMicroUsd(pct));
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0n);
  const shares = weights.map((weight) => (weight * WHOLE_MICRO_PERCENT) / totalWeight);
  const remainder = WHOLE_MICRO_PERCENT - shares.reduce((sum, share) => sum + share, 0n);
  return remaining
    .map((allocation, i) => ({
      asset: allocation.asset,
      pct: fromMicroUsd(shares[i]! + (allocation === firstTraded ? remainder : 0n)),
    }))
    .filter(({ pct }) => pct > 0);
}

/** Describes how an investment is built, verified and continued. @param network as in `createSaveSpec` */
export function createInvestSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<InvestRequest, SwapBuild, InvestmentRecord> {
  return {
    name: "invest",
    wallet: serviceWallet,
    async build(calls, { allocations, slippageBps, thresholdUsd, payWith }) {
      const terms = { allocations, slippageBps, threshold: thresholdUsd, payWith };
      const build = await calls.post("/api/swap/build", { serviceWalletPubkey: serviceWallet, ...terms, network });
      const boughtAssets = build.transactions.map(({ asset }) => asset);
      return addPrices(calls, build, ["SOL", ...(payWith ? [payWith] : []), ...boughtAssets]);
    },
    listSteps: ({ transactions }) =>
      transactions.map(({ asset, inputLamports, inputAmount, transaction, unsigned, quote }) => ({
        label: `Buy ${asset}`,
        transaction,
        validForMs: unsigned.validForMs,
        about: {
          asset,
          inputLamports,
          inputAmount,
          expected: quote.outputAmount,
          minimum: quote.minimumOutputAmount,
          decimals: quote.outputDecimals,
        },
      })),
    async verify(build, { allocations, slippageBps, payWith }) {
      const { verifySwaps } = await loadModule(() => import("../verify/swap"));
      const { prices } = build;
      const request = { network, wallet: serviceWallet, payWith, allocations, slippageBps, prices };
      const verifiedSwaps = verifySwaps(build, request);
      const transactions = build.transactions.map((swap, i) => {
        const { inputAmount, minimumOutput } = verifiedSwaps[i]!;
        const input = { inputAmount: `${inputAmount}`, inputLamports: payWith === "USDC" ? 0 : Number(inputAmount) };
        return { ...swap, ...input, quote: { ...swap.quote, ...input, minimumOutputAmount: `${minimumOutput}` } };
      });
      return { ...build, transactions, costs: boundCosts(build.costs, verifiedSwaps) };
    },
    listPrices: ({ prices }) => prices,
    needsNewReview: (newBuild, reviewedBuild) =>
      hasOutputFallenBelow(newBuild.transactions, reviewedBuild.transactions),
    getRemainingRequest(request, landedSteps) {
      if (landedSteps.length === 0) return request;
      const boughtAssets = landedSteps.map(({ about }) => about.asset);
      const allocations = findRemainingAllocations(request, boughtAssets);
      return allocations && { ...request, allocations, thresholdUsd: ANY_THRESHOLD_USD };
    },
  };
}
