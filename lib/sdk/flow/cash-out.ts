import type { SaleTarget, TradedAsset } from "../../domain/assets";
import type { NamedNetwork } from "../../domain/texts";
import { createSellSpec, type SaleBuild, type SaleRecord } from "./sell";
import { hasOutputFallenBelow } from "./swaps";
import type { BuildResult, FlowSpec } from "./types";
import { createWithdrawSpec, type WithdrawalRecord, type WithdrawBuild } from "./withdraw";

export interface CashOutRequest {
  destination: string;
  into: SaleTarget;
  /** Sold before the withdrawal, each completely. */
  assets: TradedAsset[];
  slippageBps: number;
}

/** Either all sales, or, once they have landed, the withdrawal of everything. */
export interface CashOutBuild extends BuildResult {
  sales: SaleBuild[];
  withdrawal: WithdrawBuild | null;
}

/** The part of the record that describes one transaction: a sale or a part of the withdrawal. */
export interface CashOutRecord {
  sold?: SaleRecord;
  sent?: WithdrawalRecord;
}

/** Describes how everything is sold and then withdrawn, after one review. @param network as in `createSaveSpec` */
export function createCashOutSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<CashOutRequest, CashOutBuild, CashOutRecord> {
  const sale = createSellSpec(serviceWallet, network);
  const withdraw = createWithdrawSpec(serviceWallet, network);
  const toSale = ({ into, slippageBps }: CashOutRequest, asset: TradedAsset) => {
    return { asset, into, slippageBps, amount: null };
  };
  const toWithdrawal = ({ destination }: CashOutRequest) => ({ destination, asset: null, amount: null });
  return {
    name: "cash-out",
    wallet: serviceWallet,
    async build(calls, request, careful) {
      if (request.assets.length === 0) {
        const withdrawal = await withdraw.build(calls, toWithdrawal(request), careful);
        return { sales: [], withdrawal, ready: withdrawal.ready, reason: withdrawal.reason };
      }
      const sales = await Promise.all(request.assets.map((asset) => sale.build(calls, toSale(request, asset))));
      const refused = sales.findIndex(({ ready }) => !ready);
      const reason = refused === -1 ? null : `${request.assets[refused]}: ${sales[refused]!.reason}`;
      return { sales, withdrawal: null, ready: refused === -1, reason };
    },
    listSteps({ sales, withdrawal }, request) {
      const sold = sales.flatMap((build, i) => sale.listSteps(build, toSale(request, request.assets[i]!)));
      const sent = withdrawal ? withdraw.listSteps(withdrawal, toWithdrawal(request)) : [];
      return [
        ...sold.map(({ about, ...step }) => ({ ...step, about: { sold: about } })),
        ...sent.map(({ about, ...step }) => ({ ...step, about: { sent: about } })),
      ];
    },
    async verify({ sales, withdrawal, ...rest }, request) {
      return {
        ...rest,
        sales: await Promise.all(sales.map((build, i) => sale.verify(build, toSale(request, request.assets[i]!)))),
        withdrawal: withdrawal && (await withdraw.verify(withdrawal, toWithdrawal(request))),
      };
    },
    listPrices: ({ sales }) => Object.assign({}, ...sales.map(({ prices }) => prices)),
    findRest(request, done) {
      if (done.some(({ about }) => about.sent?.last)) return null;
      const assets = request.assets.filter((asset) => !done.some(({ about }) => about.sold?.asset === asset));
      return { ...request, assets };
    },
    isWorse(build, seen) {
      const listSwaps = ({ sales }: CashOutBuild) => sales.flatMap(({ transactions }) => transactions);
      return hasOutputFallenBelow(listSwaps(build), listSwaps(seen));
    },
    isSpoilable: ({ sent }) => sent !== undefined,
    // The review said that everything goes to this address. A withdrawal that leaves something needs its own review.
    isAgreed({ withdrawal }, { done }) {
      if (withdrawal === null || done.length === 0) return false;
      const { complete, keepsRentMinimum, leftBehind, leftOut } = withdrawal;
      return complete && !keepsRentMinimum && leftBehind.length === 0 && leftOut.length === 0;
    },
  };
}
