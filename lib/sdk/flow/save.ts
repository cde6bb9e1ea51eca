import { BATCH_SIZE_RANGE } from "../../domain/limits";
import { createThroughMark, formatMark } from "../../domain/marks";
import type { NamedNetwork } from "../../domain/signed-texts";
import { findSigner, type SaveRequest } from "../requests";
import type { FlowRecord } from "./record";
import type { FlowSpec } from "./types";
import { loadModule } from "./verification";
import {
  getWrapPrices,
  replaceFigures,
  toWrapBuild,
  toWrapStep,
  verifySignedWrap,
  type Wrap,
  type WrapBuild,
  type WrapRecord,
} from "./wraps";

export type SaveBuild = WrapBuild;

export interface SavingRecord extends WrapRecord {
  count: number;
}

export const countSavedPurchases = ({ done }: Pick<FlowRecord<SaveRequest, SavingRecord>, "done">) =>
  done.reduce((sum, { about }) => sum + about.count, 0);

const NOTHING_TO_SAVE_REASON =
  "Every amount already is a full step, so there is no change to save. Nothing is charged.";

/** Returns the request of the next transaction, at most 500 purchases. Only the last one carries the `through` mark. */
function takeFirstPart({ purchasesUsd, through, after, ...terms }: SaveRequest): SaveRequest {
  const part = purchasesUsd.slice(0, BATCH_SIZE_RANGE.max);
  const isLast = part.length === purchasesUsd.length;
  return { ...terms, purchasesUsd: part, ...(isLast && through !== undefined && { through, after }) };
}

/**
 * Describes how the change of purchases is built, verified and sent, in parts. The person's own wallet signs, or the service
 * wallet with an allowance. Both share the own wallet's lock and record, so that neither saves what the other has saved.
 * @param network decides which rules apply. It comes from the text that the service wallet was derived from, never from the
 * service
 */
export function createSaveSpec(
  wallet: string,
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<SaveRequest, SaveBuild, SavingRecord> {
  return {
    name: "save",
    wallet,
    async build(calls, request) {
      const { purchasesUsd, ceilingUsd: ceiling, through, after, ...terms } = takeFirstPart(request);
      const sharedFields = { ceiling, ...terms, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      const [onlyPurchaseUsd] = purchasesUsd;
      const wrap: Wrap =
        purchasesUsd.length === 1 && through === undefined
          ? await calls.post("/api/wrap", { ...sharedFields, txValueUsd: onlyPurchaseUsd! })
          : await calls.post("/api/wrap/batch", { ...sharedFields, through, after, txValuesUsd: purchasesUsd });
      return toWrapBuild(wrap, request, NOTHING_TO_SAVE_REASON);
    },
    listSteps(build, request) {
      const { about, ...step } = toWrapStep("Change", build, findSigner({ ...request, wallet, serviceWallet }));
      return [{ ...step, about: { ...about, count: takeFirstPart(request).purchasesUsd.length } }];
    },
    async verify(build, request) {
      const { verifyWrap } = await loadModule(() => import("../verify/wrap"));
      const { through, after, ...part } = takeFirstPart(request);
      const memo = through && after && formatMark(createThroughMark(through, after));
      const expected = { wallet, serviceWallet, ...part, ...(memo && { memo }) };
      return replaceFigures(build, verifyWrap(build, expected));
    },
    listPrices: getWrapPrices,
    verifySigned: verifySignedWrap,
    getRemainingRequest(request, landedSteps) {
      const purchasesUsd = request.purchasesUsd.slice(countSavedPurchases({ done: landedSteps }));
      return purchasesUsd.length > 0 ? { ...request, purchasesUsd } : null;
    },
  };
}
