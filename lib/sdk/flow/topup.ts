import { formatMark } from "../../domain/marks";
import type { NamedNetwork } from "../../domain/texts";
import { loadModule } from "./load-module";
import type { FlowSpec } from "./types";
import {
  getWrapPrices,
  replaceFigures,
  toBuild,
  toWrapStep,
  verifySignedWrap,
  type WrapBuild,
  type WrapRecord,
} from "./wraps";

export interface TopupRequest {
  /** Includes the service fee. */
  amountUsd: number;
  /** The period of a recurring buy, e.g. 2026-W47. Each period is bought once, whichever program or device asks. */
  period?: string;
  /** As in `SaveRequest`. Not together with `period`. */
  reference?: string;
}

const NOTHING = "There is nothing to save.";

/** Describes how a one-off or recurring buy is built, verified and sent. @param network as in `createSaveSpec` */
export function createTopupSpec(
  wallet: string,
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<TopupRequest, WrapBuild, WrapRecord> {
  return {
    name: "topup",
    wallet,
    build: async (calls, request) => {
      const body = { ...request, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      return toBuild(await calls.post("/api/topup", body), NOTHING);
    },
    listSteps: (build) => [toWrapStep("Top-up", build)],
    async verify(build, { amountUsd, period, reference }) {
      const { verifyTopup } = await loadModule(() => import("../verify/wrap"));
      const memo = period === undefined ? undefined : formatMark({ kind: "topup", value: period });
      return replaceFigures(build, verifyTopup(build, { wallet, serviceWallet, amountUsd, memo, reference }));
    },
    listPrices: getWrapPrices,
    verifySigned: verifySignedWrap,
    findRest: (request, done) => (done.length > 0 ? null : request),
  };
}
