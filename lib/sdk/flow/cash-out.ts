import type { SaleTarget, SoldAsset } from "../../domain/assets";
import type { NamedNetwork } from "../../domain/texts";
import { outputFellBelow } from "./brings-less";
import { type SaleBuild, type SaleRecord, sellSpec } from "./sell";
import type { BuildResult, FlowSpec } from "./types";
import { type WithdrawalRecord, type WithdrawBuild, withdrawSpec } from "./withdraw";

export interface CashOutRequest {
  destination: string;
  into: SaleTarget;
  /** What is sold first; all of each. */
  assets: SoldAsset[];
  slippageBps: number;
}

/** First the sales, all at once; when they have landed, the withdrawal of everything. */
export interface CashOutBuild extends BuildResult {
  sales: SaleBuild[];
  withdrawal: WithdrawBuild | null;
}

/** One transaction of it, as it is remembered once it has landed. */
export interface CashOutRecord {
  sold?: SaleRecord;
  sent?: WithdrawalRecord;
}

/** How everything is sold and then sent, after one review. @param network as `saveSpec` */
export function cashOutSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<CashOutRequest, CashOutBuild, CashOutRecord> {
  const selling = sellSpec(serviceWallet, network);
  const sending = withdrawSpec(serviceWallet, network);
  const saleOf = (asset: SoldAsset, { into, slippageBps }: CashOutRequest) => ({
    asset,
    into,
    slippageBps,
    amount: null,
  });
  const everythingTo = ({ destination }: CashOutRequest) => ({ destination, asset: null, amount: null });
  return {
    name: "cash-out",
    wallet: serviceWallet,
    async build(calls, request, careful) {
      if (request.assets.length === 0) {
        const withdrawal = await sending.build(calls, everythingTo(request), careful);
        return { sales: [], withdrawal, ready: withdrawal.ready, reason: withdrawal.reason };
      }
      const sales = await Promise.all(request.assets.map((asset) => selling.build(calls, saleOf(asset, request))));
      const refused = sales.findIndex(({ ready }) => !ready);
      const reason = refused === -1 ? null : `${request.assets[refused]}: ${sales[refused]!.reason}`;
      return { sales, withdrawal: null, ready: refused === -1, reason };
    },
    stepsOf({ sales, withdrawal }, request) {
      const sold = sales.flatMap((sale, i) => selling.stepsOf(sale, saleOf(request.assets[i]!, request)));
      const sent = withdrawal ? sending.stepsOf(withdrawal, everythingTo(request)) : [];
      return [
        ...sold.map(({ about, ...step }) => ({ ...step, about: { sold: about } })),
        ...sent.map(({ about, ...step }) => ({ ...step, about: { sent: about } })),
      ];
    },
    async verify({ sales, withdrawal, ...rest }, request) {
      return {
        ...rest,
        sales: await Promise.all(sales.map((sale, i) => selling.verify(sale, saleOf(request.assets[i]!, request)))),
        withdrawal: withdrawal && (await sending.verify(withdrawal, everythingTo(request))),
      };
    },
    pricesOf: ({ sales }) => Object.assign({}, ...sales.map(({ prices }) => prices)),
    restOf(request, done) {
      if (done.some(({ about }) => about.sent?.last)) return null;
      const assets = request.assets.filter((asset) => !done.some(({ about }) => about.sold?.asset === asset));
      return { ...request, assets };
    },
    isWorse(build, seen) {
      const swaps = ({ sales }: CashOutBuild) => sales.flatMap(({ transactions }) => transactions);
      return outputFellBelow(swaps(build), swaps(seen));
    },
    isSpoilable: ({ sent }) => sent !== undefined,
    // That everything goes to this address was agreed to; that something stays was not.
    isAgreed: ({ withdrawal }, { done }) =>
      withdrawal !== null &&
      done.length > 0 &&
      withdrawal.complete &&
      !withdrawal.keepsRentMinimum &&
      withdrawal.leftBehind.length === 0 &&
      withdrawal.leftOut.length === 0,
  };
}
