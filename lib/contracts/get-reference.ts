import { z } from "zod";
import { defineContract } from "./define";
import { createExampleChange, EXAMPLE_WALLET } from "./examples";
import { BalanceChange } from "./get-activity";
import { BuildComparison } from "./get-events";
import { Address, Reference, TxSignature, WalletAddress } from "./scalars";

export const getReferenceContract = defineContract({
  operation: "get-reference",
  method: "GET",
  path: "/api/references/{reference}",
  auth: "caller",
  tag: "Round-ups",
  summary: "List the savings of a wallet that carry a reference",
  description:
    "The list comes from the chain, so it includes transactions that bypassed POST /api/swap/execute. A " +
    "transaction counts if the wallet signed its memo and it pays a fee collector. While nothing is found and the " +
    "chain is not fully read, the call is a 503 with Retry-After: ask again. A wallet can sign another amount under " +
    "the same reference, so close an order only if `asBuilt` is true.",
  params: z.strictObject({ reference: Reference }),
  query: z.strictObject({
    wallet: WalletAddress.optional().describe("The wallet; required with a static key"),
  }),
  data: z.strictObject({
    reference: z.string(),
    wallet: Address,
    state: z
      .enum(["unknown", "pending", "confirmed", "failed"])
      .describe(
        "`confirmed`: at least one transaction landed. `pending`: one was submitted and may still land. `failed`: the " +
          "chain has only failed transactions. `unknown`: there is none",
      ),
    transactions: z.array(TxSignature).describe("All transactions that landed, newest first"),
    ...BuildComparison,
    amounts: z
      .array(BalanceChange)
      .describe(
        "Balance changes of the wallet in the transaction that is as you built it, otherwise in the newest one. Empty " +
          "unless confirmed",
      ),
    isComplete: z
      .boolean()
      .describe("False while the chain is not fully read for this reference. Ask again for the rest"),
  }),
  errors: ["invalid_address", "wallet_required"],
  example: { reference: "order-1001", wallet: EXAMPLE_WALLET },
  exampleAnswer: {
    reference: "order-1001",
    wallet: EXAMPLE_WALLET,
    state: "confirmed",
    transactions: ["65pGsYam4V2DcpLCHoouACcvAJr8UC6SnvzefRuU6hhsjJFYandJhenZ7k5uc5mVqJoRddyDotyZiKEv54qopNmc"],
    amounts: [createExampleChange("SOL", -77600000n)],
    expected: [createExampleChange("SOL", -77600000n)],
    asBuilt: true,
    isComplete: true,
  },
});
