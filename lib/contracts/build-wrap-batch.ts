import { z } from "zod";
import { BATCH_SIZE_RANGE } from "../domain/limits";
import { toRoundUpTerms } from "../domain/round-up";
import { refuseSolAllowance, WRAP_ERRORS, wrapAnswerFields, wrapRequestFields } from "./build-wrap";
import { defineContract } from "./define";
import { createExampleRoundUp, createExampleWrap, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { SmallPayments } from "./get-spending";
import { createMarkIssue, SavedThroughInput, TxSignatureInput, TxValueUsd, Usd } from "./scalars";

const RoundUpItem = z
  .strictObject({ txValueUsd: Usd, roundUpUsd: Usd, skipped: z.boolean(), capped: z.boolean() })
  .meta({ id: "RoundUpItem", description: "One payment of the batch. Each is rounded separately" });

export const buildWrapBatchContract = defineContract({
  operation: "build-wrap-batch",
  method: "POST",
  path: "/api/wrap/batch",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build one pair of transfers for the change of many payments",
  description:
    "Each payment is rounded separately, and the transfers carry the sum. In `breakdown`, the USD fields are " +
    "sums. `skipped` means that every payment was skipped, and `capped` that at least one was capped. The other " +
    "fields have the same meaning as in POST /api/wrap.",
  body: z
    .strictObject({
      txValuesUsd: z
        .array(TxValueUsd)
        .min(BATCH_SIZE_RANGE.min)
        .max(BATCH_SIZE_RANGE.max)
        .meta({ description: "The payments, in US dollars", examples: [[4.98, 27.63, 12]] }),
      through: TxSignatureInput.optional().describe(
        "Marks all payments of userPubkey up to and including this transaction as saved, by a memo on the chain. Pass " +
          "each of the `batches` of GET /api/spending/{address}",
      ),
      after: SavedThroughInput.optional().describe(
        "Required with `through`: the newest payment that was saved before these, or `none`. The memo carries it, and " +
          "the call fails with 409 `already_saved` if another payment is the newest by then",
      ),
      small: z
        .strictObject(SmallPayments.shape)
        .optional()
        .describe("Ignored, so that a batch may be passed as it was listed"),
      ...wrapRequestFields,
    })
    .refine(refuseSolAllowance.check, refuseSolAllowance.issue)
    .refine(({ after, through }) => (after === undefined) === (through === undefined), {
      message: "is required with through, and allowed only with it",
      path: ["after"],
    })
    .refine(({ reference, through }) => reference === undefined || through === undefined, createMarkIssue("through")),
  data: z.strictObject({
    ...wrapAnswerFields,
    items: z.array(RoundUpItem).describe("One item for each of `txValuesUsd`, in order"),
  }),
  errors: WRAP_ERRORS,
  example: {
    txValuesUsd: [4.98, 27.63, 12],
    userPubkey: EXAMPLE_WALLET,
    serviceWalletPubkey: EXAMPLE_SERVICE_WALLET,
    plan: "tree",
  },
  exampleAnswer: {
    ...createExampleWrap(createExampleRoundUp(44.61, 0.39, toRoundUpTerms({ plan: "tree" }))),
    items: [
      { txValueUsd: 4.98, roundUpUsd: 0.02, skipped: false, capped: false },
      { txValueUsd: 27.63, roundUpUsd: 0.37, skipped: false, capped: false },
      { txValueUsd: 12, roundUpUsd: 0, skipped: true, capped: false },
    ],
  },
});
