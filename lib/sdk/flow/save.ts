import { BATCH_SIZE_RANGE } from "../../domain/limits";
import { formatMark } from "../../domain/marks";
import type { RoundUpRequest } from "../../domain/round-up";
import type { NamedNetwork } from "../../domain/signed-texts";
import { type SaveRequest as PublicSaveRequest, toPublicRequest } from "../requests";
import { loadModule } from "./load-module";
import type { FlowRecord } from "./record";
import type { FlowSpec } from "./types";
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

export interface SaveRequest extends RoundUpRequest, Pick<PublicSaveRequest, "through" | "after" | "reference"> {
  /** US dollars. One transaction saves at most 500 purchases. More are saved in parts, one after the other. */
  purchases: number[];
}

/** The part of the record that describes one saving. */
export interface SavingRecord extends WrapRecord {
  /** Number of purchases that the transaction saved. Absent in records of older versions: it saved all of them. */
  count?: number;
}

/** Returns how many purchases of a request are saved. */
export const countSavedPurchases = ({
  request,
  done,
}: Pick<FlowRecord<SaveRequest, SavingRecord>, "request" | "done">) =>
  done.reduce((sum, { about }) => sum + (about.count ?? request.purchases.length), 0);

const NOTHING_TO_SAVE_REASON =
  "Every amount already is a full step, so there is no change to save. Nothing is charged.";

/** Returns the request of the next transaction. Only the last transaction carries the `through` mark. */
function takeFirstPart({ purchases, through, after, ...terms }: SaveRequest): SaveRequest {
  const part = purchases.slice(0, BATCH_SIZE_RANGE.max);
  const isLast = part.length === purchases.length;
  return { ...terms, purchases: part, ...(isLast && through !== undefined && { through, after }) };
}

/**
 * Describes how the change of purchases is built, verified and sent. Each part is one transaction, signed by the
 * person's own wallet.
 * @param network from the text that the service wallet was derived from. A service of a different network refuses the
 * request.
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
      const { purchases, through, after, ...terms } = takeFirstPart(request);
      const sharedFields = { ...terms, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      const [onlyPurchaseUsd] = purchases;
      const wrap: Wrap =
        purchases.length === 1 && through === undefined
          ? await calls.post("/api/wrap", { ...sharedFields, txValueUsd: onlyPurchaseUsd! })
          : await calls.post("/api/wrap/batch", { ...sharedFields, through, after, txValuesUsd: purchases });
      return toWrapBuild(wrap, NOTHING_TO_SAVE_REASON);
    },
    listSteps(build, request) {
      const { about, ...step } = toWrapStep("Change", build);
      return [{ ...step, about: { ...about, count: takeFirstPart(request).purchases.length } }];
    },
    async verify(build, request) {
      const { verifyWrap } = await loadModule(() => import("../verify/wrap"));
      const { through, ...part } = takeFirstPart(request);
      const memoTerms = through === undefined ? {} : { memo: formatMark({ kind: "through", value: through }) };
      const expected = { wallet, serviceWallet, ...toPublicRequest<PublicSaveRequest>(part), ...memoTerms };
      return replaceFigures(build, verifyWrap(build, expected));
    },
    listPrices: getWrapPrices,
    verifySigned: verifySignedWrap,
    getRemainingRequest(request, landedSteps) {
      const purchases = request.purchases.slice(countSavedPurchases({ request, done: landedSteps }));
      return purchases.length > 0 ? { ...request, purchases } : null;
    },
  };
}
