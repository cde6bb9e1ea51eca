import { z } from "zod";
import { defineContract } from "./define";
import { TxValueUsd } from "./scalars";
import { WRAP_ERRORS, wrapFields, wrapMembers } from "./wrap-members";

export const buildWrapContract = defineContract({
  operation: "build-wrap",
  method: "POST",
  path: "/api/wrap",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the transfer instructions of one round-up, fee included",
  description:
    "Append `instructions` to your own transaction, or sign `transaction` as it is. A service wallet that is still empty first gets " +
    "the rent-exempt minimum (`activationLamports`): the user's own money in the user's own wallet.",
  body: z.strictObject({ txValueUsd: TxValueUsd, ...wrapFields }),
  data: z.strictObject(wrapMembers),
  errors: WRAP_ERRORS,
  example: {
    txValueUsd: 27.63,
    userPubkey: "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs",
    serviceWalletPubkey: "4ywDjoeqfRyotBJwRJ5TxsjPqtkxfn19NSZGH4CspL33",
    plan: "tree",
  },
});
