import { BATCH_SIZE } from "../../domain/limits";
import { formatMark } from "../../domain/marks";
import type { RoundUpRequest } from "../../domain/round-up";
import type { NamedNetwork } from "../../domain/texts";
import { type SaveRequest as PublicSaveRequest, toPublicRequest } from "../requests";
import { loadModule } from "./load-module";
import type { FlowRecord } from "./record";
import type { FlowSpec } from "./types";
import {
  getWrapPrices,
  replaceFigures,
  toBuild,
  toWrapStep,
  verifySignedWrap,
  type Wrap,
  type WrapBuild,
  type WrapRecord,
} from "./wraps";

export type { WrapBreakdown } from "./wraps";
export type SaveBuild = WrapBuild;

export interface SaveRequest extends RoundUpRequest, Pick<PublicSaveRequest, "through" | "after" | "reference"> {
  /** USD. One transaction takes at most 500 purchases. More are saved in parts, one after the other. */
  purchases: number[];
}

/** The part of the record that describes one saving. */
export interface SavingRecord extends WrapRecord {
  /** Number of purchases that it saved. Absent in records of older versions: it saved all of them. */
  count?: number;
}

/** Returns how many purchases are saved. */
export const countSaved = ({ request, done }: Pick<FlowRecord<SaveRequest, SavingRecord>, "request" | "done">) =>
  done.reduce((sum, { about }) => sum + (about.count ?? request.purchases.length), 0);

const NOTHING_TO_SAVE = "Every amount already is a full step, so there is no change to save. Nothing is charged.";

/** Returns what the next transaction saves. Only the last one carries the `through` mark. */
function takePart({ purchases, through, after, ...terms }: SaveRequest): SaveRequest {
  const part = purchases.slice(0, BATCH_SIZE.max);
  const isLast = part.length === purchases.length;
  return { ...terms, purchases: part, ...(isLast && through !== undefined && { through, after }) };
}

/**
 * Describes how the change of purchases is built, verified and sent. Each part is one transaction, signed by the
 * person's own wallet.
 * @param network from the text that the service wallet was derived from. A service of a different network refuses to
 * build.
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
      const { purchases, through, after, ...terms } = takePart(request);
      const common = { ...terms, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      const [first] = purchases;
      const wrap: Wrap =
        purchases.length === 1 && through === undefined
          ? await calls.post("/api/wrap", { ...common, txValueUsd: first! })
          : await calls.post("/api/wrap/batch", { ...common, through, after, txValuesUsd: purchases });
      return toBuild(wrap, NOTHING_TO_SAVE);
    },
    listSteps(build, request) {
      const { about, ...step } = toWrapStep("Change", build);
      return [{ ...step, about: { ...about, count: takePart(request).purchases.length } }];
    },
    async verify(build, request) {
      const { verifyWrap } = await loadModule(() => import("../verify/wrap"));
      const { through, ...part } = takePart(request);
      const mark = through === undefined ? {} : { memo: formatMark({ kind: "through", value: through }) };
      const expected = { wallet, serviceWallet, ...toPublicRequest<PublicSaveRequest>(part), ...mark };
      return replaceFigures(build, verifyWrap(build, expected));
    },
    listPrices: getWrapPrices,
    verifySigned: verifySignedWrap,
    findRest(request, done) {
      const purchases = request.purchases.slice(countSaved({ request, done }));
      return purchases.length > 0 ? { ...request, purchases } : null;
    },
  };
}
