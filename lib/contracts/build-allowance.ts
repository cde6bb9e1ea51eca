import { z } from "zod";
import { ALLOWANCE_USD_RANGE } from "../domain/limits";
import { composedAnswerFields } from "./build-wrap";
import { defineContract } from "./define";
import { createExampleAllowance, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { Address, BaseUnits, Lamports, limitToRange, WalletAddress } from "./scalars";

export const buildAllowanceContract = defineContract({
  operation: "build-allowance",
  method: "POST",
  path: "/api/allowance/build",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the approval that lets a savings wallet save USDC",
  description:
    "The main wallet signs `transaction` once. The savings wallet can then move up to `amountUsd` of the main wallet's " +
    'USDC: build savings with `payWith: "USDC"` and `by: "allowance"`, and sign them with the savings wallet. ' +
    "A new allowance replaces what was left of the old one. The transaction also gives the savings wallet the SOL that " +
    "it lacks for its rent-exempt minimum and the network fees of 20 savings.",
  body: z.strictObject({
    userPubkey: WalletAddress,
    serviceWalletPubkey: WalletAddress,
    amountUsd: limitToRange(z.number(), ALLOWANCE_USD_RANGE).meta({
      description: "The most that the savings wallet may take, in USDC",
      examples: [25],
    }),
  }),
  data: z.strictObject({
    ...composedAnswerFields,
    breakdown: z.strictObject({
      amountUsd: z.number(),
      amountUnits: BaseUnits,
      reserveLamports: Lamports.describe(
        "What the savings wallet lacks to its rent-exempt minimum and the network fees of 20 savings by allowance",
      ),
      serviceFeeLamports: Lamports.describe("The fee of `reserveLamports`: 0.25 % of what exceeds the rent minimum"),
      tokenAccountDepositLamports: Lamports.describe("Rent of the savings wallet's USDC account, if it must be opened"),
      networkFeeLamports: Lamports.describe("What the network charges for `transaction`, as a node tells it"),
      totalLamports: Lamports,
      feeCollector: Address.nullable().describe("Null without a reserve"),
    }),
  }),
  errors: [
    "invalid_address",
    "wallets_equal",
    "wallet_not_allowed",
    "delegate_exists",
    "usdc_account_unusable",
    "price_stale",
    "service_not_ready",
  ],
  example: { userPubkey: EXAMPLE_WALLET, serviceWalletPubkey: EXAMPLE_SERVICE_WALLET, amountUsd: 25 },
  exampleAnswer: createExampleAllowance(),
});
