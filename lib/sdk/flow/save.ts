import type { buildWrapContract } from "../../contracts/build-wrap";
import type { buildWrapBatchContract } from "../../contracts/build-wrap-batch";
import { BATCH_SIZE } from "../../domain/limits";
import { markText } from "../../domain/marks";
import type { RoundUpRequest } from "../../domain/round-up";
import type { NamedNetwork } from "../../domain/texts";
import type { AnswerOf } from "../calls/calls";
import { lazily } from "./lazily";
import type { Built, FlowSpec } from "./types";
import type { Unfinished } from "./unfinished";

type Wrap = AnswerOf<typeof buildWrapContract>;
export type WrapBreakdown = Wrap["breakdown"];
export type SaveBuild = Wrap & Built;

export interface SaveRequest extends RoundUpRequest {
  /** USD; more than fit into one transaction (500) are saved in parts, one after the other. */
  purchases: number[];
  /** Signature of the newest payment that is saved with them: `batches` of GET /api/spending/{address} name it. */
  through?: string;
}

/** A saving, as it is remembered once it has landed. */
export interface Saved {
  breakdown: WrapBreakdown;
  /** How many of the purchases that were left; not known of what older versions of this code remembered: all. */
  count?: number;
}

/** How many of the purchases are saved. */
export const savedCount = ({ request, done }: Pick<Unfinished<SaveRequest, Saved>, "request" | "done">): number =>
  done.reduce((sum, { about }) => sum + (about.count ?? request.purchases.length), 0);

const NOTHING_TO_SAVE = "Every amount already is a full step, so there is no change to save. Nothing is charged.";
const SHORT_OF_SOL = "The wallet holds too little SOL for this, or would keep less than Solana lets an account keep.";

/** What one transaction takes of what is left; the last one alone says through which payment all are saved. */
function partOf({ purchases, through, ...terms }: SaveRequest): SaveRequest {
  const part = purchases.slice(0, BATCH_SIZE.max);
  const isLast = part.length === purchases.length;
  return { ...terms, purchases: part, ...(isLast && through !== undefined && { through }) };
}

/**
 * How the change of purchases is built, checked and sent: one transaction for each part, which the person's own wallet signs.
 * @param network of the text that the service wallet was derived from: a service of another one refuses to build
 */
export function saveSpec(
  wallet: string,
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<SaveRequest, SaveBuild, Saved> {
  return {
    name: "save",
    wallet,
    async build(calls, request) {
      const { purchases, through, ...terms } = partOf(request);
      const common = { ...terms, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      const [first] = purchases;
      const wrap: Wrap =
        purchases.length === 1 && through === undefined
          ? await calls.post<typeof buildWrapContract>("/api/wrap", { ...common, txValueUsd: first! })
          : await calls.post<typeof buildWrapBatchContract>("/api/wrap/batch", {
              ...{ ...common, through },
              txValuesUsd: purchases,
            });
      const ready = wrap.transaction !== null;
      return {
        ...wrap,
        ready,
        reason: ready ? null : NOTHING_TO_SAVE,
        blocked: wrap.affordable ? null : SHORT_OF_SOL,
      };
    },
    stepsOf: ({ transaction, breakdown }, request) => [
      {
        label: labelOf(breakdown),
        transaction: transaction!.base64,
        about: { breakdown, count: partOf(request).purchases.length },
      },
    ],
    async verify(build, request) {
      const { verifyWrap } = await lazily(() => import("../verify/wrap"));
      const { through, ...part } = partOf(request);
      const mark = through === undefined ? {} : { memo: markText({ kind: "through", value: through }) };
      const { roundUpUsd, ...lamports } = verifyWrap(build, { wallet, serviceWallet, ...part, ...mark });
      const figures = Object.fromEntries(Object.entries(lamports).map(([name, value]) => [name, Number(value)]));
      return { ...build, breakdown: { ...build.breakdown, ...figures, roundUpUsd } };
    },
    async verifySigned({ transaction, about }, signed) {
      const { verifySigned } = await lazily(() => import("../verify/signed"));
      const { networkFeeLamports: shown, totalLamports, ...rest } = about.breakdown;
      const networkFeeLamports = Number(verifySigned(transaction, signed));
      return {
        ...about,
        breakdown: { ...rest, networkFeeLamports, totalLamports: totalLamports - shown + networkFeeLamports },
      };
    },
    restOf(request, done) {
      const purchases = request.purchases.slice(savedCount({ request, done }));
      return purchases.length > 0 ? { ...request, purchases } : null;
    },
  };
}

/** Changes come to fractions of a cent; no more digits than there are. */
const labelOf = ({ roundUpUsd }: WrapBreakdown) =>
  `Round-up of $${roundUpUsd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
