import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_PLACEHOLDER } from "./examples";
import { Network, TxSignature } from "./scalars";

const ConfirmedTransaction = z.strictObject({
  txSignature: TxSignature,
  confirmed: z.literal(true),
  status: z.enum(["confirmed", "finalized"]),
  slot: z.int(),
  network: Network,
});

const PendingTransaction = z.strictObject({
  txSignature: TxSignature,
  confirmed: z.literal(false),
  status: z.literal("pending"),
  lastValidBlockHeight: z.int().nullable(),
  network: Network,
});

export const executeTransactionContract = defineContract({
  operation: "execute-transaction",
  method: "POST",
  path: "/api/swap/execute",
  auth: "caller",
  tag: "Swaps",
  summary: "Submit a signed transaction and follow it to its outcome",
  description:
    "You may post the same bytes again at any time. The answer reports the transaction's current state. 202 means " +
    "that the outcome is not known yet, so post again. A transfer into a savings wallet must carry the fee that " +
    "POST /api/wrap builds. A caller with too many transactions without an outcome gets 429 for a new one. Each payment that a batch of POST /api/wrap/batch covers can be saved only once. A second " +
    "transaction for one of these payments gets a 409 `already_saved`, unless the first has certainly expired. The same holds for each `period` " +
    "and each `reference` of a wallet.",
  body: z.strictObject({
    // No length limits here: the service reports a wrong length as an invalid transaction, which is more specific.
    signedTransaction: z.string().meta({
      description: "Signed transaction (legacy or v0) of at most 1,232 bytes, base64",
      contentEncoding: "base64",
    }),
  }),
  data: z.discriminatedUnion("confirmed", [ConfirmedTransaction, PendingTransaction]),
  statuses: {
    chooseStatus: (data) => (data.confirmed ? 200 : 202),
    descriptions: { 200: "Confirmed on the chain", 202: "Sent; the outcome is not known yet" },
    schemas: { 200: ConfirmedTransaction, 202: PendingTransaction },
  },
  errors: [
    "invalid_transaction",
    "transaction_not_signed",
    "fee_missing",
    "already_saved",
    "transaction_expired",
    "simulation_failed",
    "transaction_failed",
  ],
  isLongRunning: true,
  example: { signedTransaction: EXAMPLE_PLACEHOLDER },
  exampleAnswer: {
    txSignature: "23WBVRmw7xJ2qA5LRbAFKVXKgZWwmVxDe72sppYSvf4BKWhxVVj13q8ryBTvTJcTnNqVnFnc2AP6SeqnQsufoCe3",
    confirmed: true,
    status: "confirmed",
    slot: 447552864,
    network: "sandbox",
  },
});
