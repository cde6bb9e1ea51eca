import { z } from "zod";
import { AIRDROP_SOL_RANGE, AIRDROP_USDC_RANGE } from "../domain/limits";
import { defineContract } from "./define";
import { EXAMPLE_WALLET } from "./examples";
import { Address, limitToRange, TxSignature, WalletAddress } from "./scalars";

export const airdropContract = defineContract({
  operation: "airdrop",
  method: "POST",
  path: "/api/sandbox/airdrop",
  auth: "none",
  tag: "Service",
  summary: "Send play money to a wallet; exists only in the sandbox",
  description: "Sends play SOL, and on request play USDC, from the sandbox's own faucet.",
  body: z.strictObject({
    address: WalletAddress,
    sol: limitToRange(z.number(), AIRDROP_SOL_RANGE),
    usdc: limitToRange(z.number(), AIRDROP_USDC_RANGE).optional().describe("USDC to send besides"),
    history: z
      .boolean()
      .optional()
      .describe(
        "Adds a month of payments to shops, and the money for them. Ignored for a savings wallet, and for a wallet that has a history",
      ),
  }),
  data: z.strictObject({
    address: Address,
    sol: z.number(),
    usdc: z.number().describe("0 if none was asked for"),
    txSignature: TxSignature.describe("The transaction that sent the SOL"),
    pastPayments: z.int().describe("Number of past payments that were added to the wallet's history"),
  }),
  errors: ["invalid_address", "not_found"],
  onlyNetwork: "sandbox",
  example: { address: EXAMPLE_WALLET, sol: 1 },
  exampleAnswer: {
    address: EXAMPLE_WALLET,
    sol: 1,
    usdc: 0,
    txSignature: "4iUyyVmbmBKhSK6UbFGCVQYokHJru8FccFue5rXv3K8kYgHmTTE61LK5UFUB6qaxH3wShgNoRrW1aPCdtooNbc48",
    pastPayments: 0,
  },
});
