import { formatMark } from "../../domain/marks";
import type { NamedNetwork } from "../../domain/signed-texts";
import { findSigner, type PayTerms } from "../requests";
import type { FlowSpec } from "./types";
import { loadModule } from "./verification";
import {
  getWrapPrices,
  replaceFigures,
  toWrapBuild,
  toWrapStep,
  verifySignedWrap,
  type WrapBuild,
  type WrapRecord,
} from "./wraps";

export interface TopupRequest extends PayTerms {
  /** US dollars, including the service fee. */
  amountUsd: number;
  /** The period of a recurring top-up, e.g. 2026-W47. Each period is paid once, whichever program or device asks. */
  period?: string;
  /** The order, as in `SaveRequest`. Not together with `period`. */
  reference?: string;
}

/** Describes how a one-off or recurring top-up is built, verified and sent. @param network as in `createSaveSpec` */
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
      return toWrapBuild(await calls.post("/api/topup", body), request, "There is nothing to save.");
    },
    listSteps: (build, request) => [toWrapStep("Top-up", build, findSigner({ ...request, wallet, serviceWallet }))],
    async verify(build, { period, ...request }) {
      const { verifyTopup } = await loadModule(() => import("../verify/wrap"));
      const memo = period === undefined ? undefined : formatMark({ kind: "topup", value: period });
      return replaceFigures(build, verifyTopup(build, { ...request, wallet, serviceWallet, memo }));
    },
    listPrices: getWrapPrices,
    verifySigned: verifySignedWrap,
    getRemainingRequest: (request, landedSteps) => (landedSteps.length > 0 ? null : request),
  };
}
