import type { buildSwapContract } from "../../contracts/build-swap";
import type { Allocation } from "../../domain/allocations";
import type { AssetSymbol } from "../../domain/assets";
import { fromMicroUsd, toMicroUsd } from "../../domain/money";
import type { NamedNetwork } from "../../domain/texts";
import type { AnswerOf } from "../calls/calls";
import type { InvestRequest as PublicInvestRequest, WithOldNames } from "../requests";
import { loadModule } from "./load-module";
import { type BuildPrices, hasOutputFallenBelow, withPrices } from "./swaps";
import type { FlowSpec } from "./types";

export type SwapBuild = AnswerOf<typeof buildSwapContract> & BuildPrices;

export type Leg = Allocation;
export type InvestRequest = WithOldNames<PublicInvestRequest>;

/** The part of the record that describes one swap. */
export interface PurchaseRecord {
  asset: AssetSymbol;
  inputLamports: number;
  /** The quoted output, base units. Only the chain knows the real one. */
  expected: string;
  minimum: string;
  decimals: number;
}

/** The first swap reached the threshold. The rest of the investment has no minimum. */
export const ANY_THRESHOLD_USD = 0.01;

/** 100 %, in millionths of a percent: the unit in which the service checks the sum. */
const WHOLE = 100_000_000n;

/** Returns the legs that were not bought yet, in the same proportions. Returns null when nothing is left to buy. */
export function findRemainingLegs(legs: Allocation[], bought: AssetSymbol[]): Allocation[] | null {
  const remaining = legs.filter(({ asset }) => !bought.includes(asset));
  const first = remaining.find(({ asset }) => asset !== "SOL");
  if (!first) return null;
  // Percents have six decimals, as dollars do.
  const weights = remaining.map(({ pct }) => toMicroUsd(pct));
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const shares = weights.map((weight) => (weight * WHOLE) / total);
  const remainder = WHOLE - shares.reduce((sum, share) => sum + share, 0n);
  return remaining
    .map((leg, i) => ({ asset: leg.asset, pct: fromMicroUsd(shares[i]! + (leg === first ? remainder : 0n)) }))
    .filter(({ pct }) => pct > 0);
}

/**
 * Describes how an investment is built, verified and continued.
 * @param network decides which rules the swaps must follow. It comes from the text that the service wallet was derived
 * from, never from the service.
 */
export function createInvestSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<InvestRequest, SwapBuild, PurchaseRecord> {
  return {
    name: "invest",
    wallet: serviceWallet,
    async build(calls, { legs, slippageBps, thresholdUsd }) {
      const build = await calls.post("/api/swap/build", {
        serviceWalletPubkey: serviceWallet,
        allocations: legs,
        slippageBps,
        threshold: thresholdUsd,
        network,
      });
      return withPrices(calls, build, ["SOL", ...build.transactions.map(({ asset }) => asset)]);
    },
    listSteps: ({ transactions }) =>
      transactions.map(({ asset, inputLamports, transaction, quote }) => ({
        label: `Buy ${asset}`,
        transaction,
        about: {
          asset,
          inputLamports,
          expected: quote.outputAmount,
          minimum: quote.minimumOutputAmount,
          decimals: quote.outputDecimals,
        },
      })),
    async verify(build, { legs, slippageBps }) {
      const { verifySwaps } = await loadModule(() => import("../verify/swap"));
      const expected = { network, wallet: serviceWallet, allocations: legs, slippageBps, prices: build.prices };
      const swaps = verifySwaps(build, expected);
      const transactions = build.transactions.map((swap, i) => {
        const { inputAmount, minimumOutput } = swaps[i]!;
        const inputLamports = Number(inputAmount);
        return {
          ...swap,
          inputLamports,
          quote: { ...swap.quote, inputLamports, minimumOutputAmount: `${minimumOutput}` },
        };
      });
      const networkFee = swaps.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n);
      return { ...build, transactions, costs: { ...build.costs, networkFeeLamports: Number(networkFee) } };
    },
    listPrices: ({ prices }) => prices,
    isWorse: (build, seen) => hasOutputFallenBelow(build.transactions, seen.transactions),
    findRest(request, done) {
      if (done.length === 0) return request;
      const bought = done.map(({ about }) => about.asset);
      const legs = findRemainingLegs(request.legs, bought);
      return legs && { ...request, legs, thresholdUsd: ANY_THRESHOLD_USD };
    },
  };
}
