import type { buildSaleContract } from "../../contracts/build-sale";
import type { DataOf } from "../../contracts/define";
import type { SaleTarget, TradedAsset } from "../../domain/assets";
import type { NamedNetwork } from "../../domain/signed-texts";
import type { SellRequest } from "../requests";
import { addPrices, type BuildPrices, hasOutputFallenBelow } from "./swaps";
import type { FlowSpec } from "./types";
import { boundCosts, loadModule } from "./verification";

export type SaleBuild = DataOf<typeof buildSaleContract> & BuildPrices;

/** The part of the record that describes one sale; amounts in base units. */
export interface SaleRecord {
  asset: TradedAsset;
  into: SaleTarget;
  amount: string;
  /** The quoted output. Only the chain knows the actual output. */
  expected: string;
  /** The minimum output, below which the sale fails. */
  minimum: string;
}

/**
 * Describes how a sale is built, verified and sent.
 * @param wallet the wallet that sells, signs and receives: the service wallet, or the user's own
 * @param network as in `createSaveSpec`
 */
export function createSellSpec(wallet: string, network: NamedNetwork): FlowSpec<SellRequest, SaleBuild, SaleRecord> {
  return {
    name: "sell",
    wallet,
    async build(calls, { asset, into, amountBaseUnits, slippageBps }) {
      const build = await calls.post("/api/swap/sell", {
        serviceWalletPubkey: wallet,
        asset,
        into,
        slippageBps,
        ...(amountBaseUnits === null ? { all: true as const } : { amount: amountBaseUnits }),
        network,
      });
      return addPrices(calls, build, [asset, into]);
    },
    listSteps: ({ transactions }, { asset, into }) =>
      transactions.map(({ transaction, unsigned, inputAmount: amount, quote }) => ({
        label: `Sell ${asset}`,
        transaction,
        validForMs: unsigned.validForMs,
        about: { asset, into, amount, expected: quote.outputAmount, minimum: quote.minimumOutputAmount },
      })),
    async verify(build, request) {
      const { verifySale } = await loadModule(() => import("../verify/swap"));
      const verifiedSale = verifySale(build, { network, wallet, ...request, prices: build.prices });
      const transactions = build.transactions.map((swap) => ({
        ...swap,
        quote: { ...swap.quote, minimumOutputAmount: `${verifiedSale.minimumOutput}` },
      }));
      return { ...build, transactions, costs: boundCosts(build.costs, [verifiedSale]) };
    },
    listPrices: ({ prices }) => prices,
    needsNewReview: (newBuild, reviewedBuild) =>
      hasOutputFallenBelow(newBuild.transactions, reviewedBuild.transactions),
    getRemainingRequest: (request, landedSteps) => (landedSteps.length > 0 ? null : request),
  };
}
