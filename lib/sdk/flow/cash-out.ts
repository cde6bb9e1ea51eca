import type { SaleTarget, TradedAsset } from "../../domain/assets";
import type { NamedNetwork } from "../../domain/signed-texts";
import { createSellSpec, type SaleBuild, type SaleRecord } from "./sell";
import { hasOutputFallenBelow } from "./swaps";
import type { BuildResult, FlowSpec } from "./types";
import { createWithdrawSpec, type WithdrawalRecord, type WithdrawBuild } from "./withdraw";

export interface CashOutRequest {
  destination: string;
  into: SaleTarget;
  assets: TradedAsset[];
  slippageBps: number;
}

/** Either all sales, or, once they have landed, the withdrawal of everything. */
export interface CashOutBuild extends BuildResult {
  sales: SaleBuild[];
  withdrawal: WithdrawBuild | null;
}

export interface CashOutRecord {
  sold?: SaleRecord;
  sent?: WithdrawalRecord;
}

/** Describes how everything is sold and then withdrawn, after one review. @param network as in `createSaveSpec` */
export function createCashOutSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<CashOutRequest, CashOutBuild, CashOutRecord> {
  const saleSpec = createSellSpec(serviceWallet, network);
  const withdrawSpec = createWithdrawSpec(serviceWallet, network);
  const toSellRequest = ({ into, slippageBps }: CashOutRequest, asset: TradedAsset) => {
    return { asset, into, slippageBps, amountBaseUnits: null };
  };
  const toWithdrawRequest = ({ destination }: CashOutRequest) => ({ destination, asset: null, amountBaseUnits: null });
  return {
    name: "cash-out",
    wallet: serviceWallet,
    async build(calls, request, expectsTransfers) {
      if (request.assets.length === 0) {
        const withdrawal = await withdrawSpec.build(calls, toWithdrawRequest(request), expectsTransfers);
        return { sales: [], withdrawal, ready: withdrawal.ready, reason: withdrawal.reason };
      }
      const sales = await Promise.all(
        request.assets.map((asset) => saleSpec.build(calls, toSellRequest(request, asset))),
      );
      const refusedIndex = sales.findIndex(({ ready }) => !ready);
      const reason = refusedIndex === -1 ? null : `${request.assets[refusedIndex]}: ${sales[refusedIndex]!.reason}`;
      return { sales, withdrawal: null, ready: refusedIndex === -1, reason };
    },
    listSteps({ sales, withdrawal }, request) {
      const saleSteps = sales.flatMap((sale, i) =>
        saleSpec.listSteps(sale, toSellRequest(request, request.assets[i]!)),
      );
      const withdrawalSteps = withdrawal ? withdrawSpec.listSteps(withdrawal, toWithdrawRequest(request)) : [];
      return [
        ...saleSteps.map(({ about, ...step }) => ({ ...step, about: { sold: about } })),
        ...withdrawalSteps.map(({ about, ...step }) => ({ ...step, about: { sent: about } })),
      ];
    },
    async verify({ sales, withdrawal, ...build }, request) {
      return {
        ...build,
        sales: await Promise.all(
          sales.map((sale, i) => saleSpec.verify(sale, toSellRequest(request, request.assets[i]!))),
        ),
        withdrawal: withdrawal && (await withdrawSpec.verify(withdrawal, toWithdrawRequest(request))),
      };
    },
    listPrices: ({ sales }) => Object.assign({}, ...sales.map(({ prices }) => prices)),
    getRemainingRequest(request, landedSteps) {
      if (landedSteps.some(({ about }) => about.sent?.last)) return null;
      const assets = request.assets.filter((asset) => !landedSteps.some(({ about }) => about.sold?.asset === asset));
      return { ...request, assets };
    },
    needsNewReview(newBuild, reviewedBuild) {
      const listSwaps = ({ sales }: CashOutBuild) => sales.flatMap(({ transactions }) => transactions);
      return hasOutputFallenBelow(listSwaps(newBuild), listSwaps(reviewedBuild));
    },
    isBlockableByTransfer: ({ sent }) => sent !== undefined,
    // The review said that everything goes to this address. A withdrawal that leaves something needs its own review.
    isCoveredByReview({ withdrawal }, { done }) {
      if (withdrawal === null || done.length === 0) return false;
      const { complete, keepsRentMinimum, leftBehind, leftOut } = withdrawal;
      return complete && !keepsRentMinimum && leftBehind.length === 0 && leftOut.length === 0;
    },
  };
}
