import type { buildWrapContract } from "../../contracts/build-wrap";
import type { buildWrapBatchContract } from "../../contracts/build-wrap-batch";
import { markText } from "../../domain/marks";
import type { RoundUpRequest } from "../../domain/round-up";
import type { NamedNetwork } from "../../domain/texts";
import type { AnswerOf } from "../calls/calls";
import { lazily } from "./lazily";
import type { Built, FlowSpec } from "./types";

type Wrap = AnswerOf<typeof buildWrapContract>;
export type WrapBreakdown = Wrap["breakdown"];
export type SaveBuild = Wrap & Built;

export interface SaveRequest extends RoundUpRequest {
  /** USD; one purchase, or up to 500. */
  purchases: number[];
  /** Signature of the newest payment that is saved with them: `batches` of GET /api/spending/{address} name it. */
  through?: string;
}

/** A saving, as it is remembered once it has landed. */
export interface Saved {
  breakdown: WrapBreakdown;
}

const NOTHING_TO_SAVE = "Every amount already is a full step, so there is no change to save. Nothing is charged.";
const SHORT_OF_SOL = "The wallet holds too little SOL for this, or would keep less than Solana lets an account keep.";

/**
 * How the change of purchases is built, checked and sent: one transaction that the person's own wallet signs.
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
    async build(calls, { purchases, through, ...terms }) {
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
    stepsOf: ({ transaction, breakdown }) => [
      { label: labelOf(breakdown), transaction: transaction!.base64, about: { breakdown } },
    ],
    async verify(build, { through, ...request }) {
      const { verifyWrap } = await lazily(() => import("../verify/wrap"));
      const mark = through === undefined ? {} : { memo: markText({ kind: "through", value: through }) };
      const { roundUpUsd, ...lamports } = verifyWrap(build, { wallet, serviceWallet, ...request, ...mark });
      const figures = Object.fromEntries(Object.entries(lamports).map(([name, value]) => [name, Number(value)]));
      return { ...build, breakdown: { ...build.breakdown, ...figures, roundUpUsd } };
    },
    async verifySigned({ transaction, about }, signed) {
      const { verifySigned } = await lazily(() => import("../verify/signed"));
      const { networkFeeLamports: shown, totalLamports, ...rest } = about.breakdown;
      const networkFeeLamports = Number(verifySigned(transaction, signed));
      return {
        breakdown: { ...rest, networkFeeLamports, totalLamports: totalLamports - shown + networkFeeLamports },
      };
    },
    restOf: (request, done) => (done.length > 0 ? null : request),
  };
}

/** Changes come to fractions of a cent; no more digits than there are. */
const labelOf = ({ roundUpUsd }: WrapBreakdown) =>
  `Round-up of $${roundUpUsd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
