import { z } from "zod";
import { composedAnswerFields } from "./build-wrap";
import { defineContract } from "./define";
import { createExampleRevocation, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { Address, Lamports, WalletAddress } from "./scalars";

export const buildRevocationContract = defineContract({
  operation: "build-revocation",
  method: "POST",
  path: "/api/allowance/revoke/build",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the transaction that ends a wallet's allowance",
  description:
    "Removes the delegate of the wallet's USDC account, whoever it is: read `delegate` before you sign. Works while " +
    "saving is paused. Without a delegate there is nothing to sign, and `transaction` is null.",
  body: z.strictObject({ userPubkey: WalletAddress }),
  data: z.strictObject({
    ...composedAnswerFields,
    delegate: Address.nullable().describe("The wallet or program that may take USDC now. Null if there is none"),
    breakdown: z.strictObject({
      networkFeeLamports: Lamports.describe("What the network charges for `transaction`, as a node tells it"),
      totalLamports: Lamports,
    }),
  }),
  errors: ["invalid_address", "usdc_account_unusable"],
  example: { userPubkey: EXAMPLE_WALLET },
  exampleAnswer: { ...createExampleRevocation(), delegate: EXAMPLE_SERVICE_WALLET },
});
