import { z } from "zod";
import { defineContract } from "./define";
import { TxValueUsd, Usd } from "./scalars";
import { WRAP_ERRORS, wrapFields, wrapMembers } from "./wrap-members";

const Item = z
  .strictObject({ txValueUsd: Usd, roundUpUsd: Usd, skipped: z.boolean(), capped: z.boolean() })
  .meta({ id: "RoundUpItem", description: "One purchase of the batch, rounded by itself" });

export const buildWrapBatchContract = defineContract({
  operation: "build-wrap-batch",
  method: "POST",
  path: "/api/wrap/batch",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build one pair of transfers for the round-ups of many purchases",
  description:
    "Each purchase is rounded by itself; the transfers carry the sum. In `breakdown` the USD members are sums, `skipped` means that all " +
    "were skipped and `capped` that any was capped; everything else is as POST /api/wrap answers it.",
  body: z.strictObject({
    txValuesUsd: z
      .array(TxValueUsd)
      .min(1)
      .max(500)
      .meta({ description: "The purchases, USD", examples: [[4.98, 27.63, 12]] }),
    ...wrapFields,
  }),
  data: z.strictObject({
    ...wrapMembers,
    items: z.array(Item).meta({ description: "One for each of txValuesUsd, in order" }),
  }),
  errors: WRAP_ERRORS,
  example: {
    txValuesUsd: [4.98, 27.63, 12],
    userPubkey: "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs",
    serviceWalletPubkey: "4ywDjoeqfRyotBJwRJ5TxsjPqtkxfn19NSZGH4CspL33",
    plan: "tree",
  },
});
