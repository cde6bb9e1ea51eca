import type { buildWrapContract } from "../../contracts/build-wrap";
import type { buildWrapBatchContract } from "../../contracts/build-wrap-batch";
import { BATCH_SIZE } from "../../domain/limits";
import { markText } from "../../domain/marks";
import type { RoundUpRequest } from "../../domain/round-up";
import type { NamedNetwork } from "../../domain/texts";
import { lazily } from "./lazily";
import type { FlowRecord } from "./record";
import type { FlowSpec } from "./types";
import {
  asVerified,
  toBuild,
  verifySignedWrap,
  type Wrap,
  type WrapBuild,
  type WrapRecord,
  wrapPrices,
  wrapStep,
} from "./wraps";

export type { WrapBreakdown } from "./wraps";
export type SaveBuild = WrapBuild;

export interface SaveRequest extends RoundUpRequest {
  /** USD; more than fit into one transaction (500) are saved in parts, one after the other. */
  purchases: number[];
  /** Signature of the newest payment that is saved with them: `batches` of GET /api/spending/{address} name it. */
  through?: string;
  /** Beside it, `savedThrough` of the answer that named it, `none` for null: else what was saved since might be saved again. */
  after?: string;
}

/** A saving, as it is remembered once it has landed. */
export interface SavingRecord extends WrapRecord {
  /** How many of the purchases that were left; not known of what older versions of this code remembered: all. */
  count?: number;
}

/** How many of the purchases are saved. */
export const savedCount = ({
  request,
  done,
}: Pick<FlowRecord<SaveRequest, SavingRecord>, "request" | "done">): number =>
  done.reduce((sum, { about }) => sum + (about.count ?? request.purchases.length), 0);

const NOTHING_TO_SAVE = "Every amount already is a full step, so there is no change to save. Nothing is charged.";

/** What one transaction takes of what is left; the last one alone says through which payment all are saved. */
function partOf({ purchases, through, after, ...terms }: SaveRequest): SaveRequest {
  const part = purchases.slice(0, BATCH_SIZE.max);
  const isLast = part.length === purchases.length;
  return { ...terms, purchases: part, ...(isLast && through !== undefined && { through, after }) };
}

/**
 * How the change of purchases is built, checked and sent: one transaction for each part, which the person's own wallet signs.
 * @param network of the text that the service wallet was derived from: a service of another one refuses to build
 */
export function saveSpec(
  wallet: string,
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<SaveRequest, SaveBuild, SavingRecord> {
  return {
    name: "save",
    wallet,
    async build(calls, request) {
      const { purchases, through, after, ...terms } = partOf(request);
      const common = { ...terms, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      const [first] = purchases;
      const wrap: Wrap =
        purchases.length === 1 && through === undefined
          ? await calls.post<typeof buildWrapContract>("/api/wrap", { ...common, txValueUsd: first! })
          : await calls.post<typeof buildWrapBatchContract>("/api/wrap/batch", {
              ...common,
              through,
              after,
              txValuesUsd: purchases,
            });
      return toBuild(wrap, NOTHING_TO_SAVE);
    },
    stepsOf(build, request) {
      const { about, ...step } = wrapStep("Change", build);
      return [{ ...step, about: { ...about, count: partOf(request).purchases.length } }];
    },
    async verify(build, request) {
      const { verifyWrap } = await lazily(() => import("../verify/wrap"));
      const { through, ...part } = partOf(request);
      const mark = through === undefined ? {} : { memo: markText({ kind: "through", value: through }) };
      return asVerified(build, verifyWrap(build, { wallet, serviceWallet, ...part, ...mark }));
    },
    pricesOf: wrapPrices,
    verifySigned: verifySignedWrap,
    restOf(request, done) {
      const purchases = request.purchases.slice(savedCount({ request, done }));
      return purchases.length > 0 ? { ...request, purchases } : null;
    },
  };
}
