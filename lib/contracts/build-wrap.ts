import { z } from "zod";
import type { ErrorCode } from "../errors";
import { roundUpAnswerFields, roundUpTermsFields } from "./calculate-round-up";
import { defineContract } from "./define";
import { createExampleWrap, EXAMPLE_ROUND_UP, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import {
  Address,
  ByAllowance,
  Instruction,
  Lamports,
  PayWith,
  ReferenceInput,
  TxValueUsd,
  UnsignedTransaction,
  WalletAddress,
} from "./scalars";

export const payFields = { payWith: PayWith.optional(), by: ByAllowance.optional() };

/** An allowance covers USDC only. */
export const refuseSolAllowance = {
  check: ({ payWith, by }: { payWith?: string | undefined; by?: string | undefined }) =>
    by === undefined || payWith === "USDC",
  issue: { message: "is allowed only with payWith: USDC", path: ["by"] },
};

/** Besides the payment or the payments. */
export const wrapRequestFields = {
  userPubkey: WalletAddress,
  serviceWalletPubkey: WalletAddress,
  reference: ReferenceInput,
  ...payFields,
  ...roundUpTermsFields,
};

const Units = z.int().nonnegative().describe("Base units of USDC; one is a micro-dollar. 0 for a saving in SOL");

/** Answer fields of a build of one transaction. */
export const composedAnswerFields = {
  instructions: z.array(Instruction),
  transaction: UnsignedTransaction.nullable(),
  unsigned: UnsignedTransaction.nullable().describe("Same as `transaction`"),
  computeUnits: z
    .int()
    .nonnegative()
    .describe("Compute units that `instructions` use at most; add them to a unit limit of your own transaction"),
  affordable: z.boolean().describe("True if the payer keeps 0 or at least the rent-exempt minimum afterwards"),
  shortOf: PayWith.nullable().describe("What the payer has too little of. Null if `affordable`"),
};

/** POST /api/wrap/batch adds its items. */
export const wrapAnswerFields = {
  ...composedAnswerFields,
  breakdown: z.strictObject({
    ...roundUpAnswerFields,
    roundUpLamports: Lamports,
    serviceFeeLamports: Lamports,
    userInvestmentLamports: Lamports,
    activationLamports: Lamports,
    roundUpUnits: Units,
    serviceFeeUnits: Units,
    userInvestmentUnits: Units,
    tokenAccountDepositLamports: Lamports.describe("Rent of the savings wallet's USDC account, if it must be opened"),
    networkFeeLamports: Lamports.describe("What the network charges for `transaction`, as a node tells it"),
    totalLamports: Lamports,
    feeCollector: Address,
  }),
};

export const WRAP_ERRORS: readonly ErrorCode[] = [
  "invalid_address",
  "wallets_equal",
  "wallet_not_allowed",
  "already_saved",
  "allowance_missing",
  "price_stale",
  "service_not_ready",
];

export const buildWrapContract = defineContract({
  operation: "build-wrap",
  method: "POST",
  path: "/api/wrap",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the transfer instructions of one saving, fee included",
  description:
    "Append `instructions` to your own transaction, or sign `transaction` as it is. For an empty savings wallet, " +
    "a transfer adds the rent-exempt minimum (`activationLamports`), which stays in the user's own savings wallet.",
  body: z
    .strictObject({ txValueUsd: TxValueUsd, ...wrapRequestFields })
    .refine(refuseSolAllowance.check, refuseSolAllowance.issue),
  data: z.strictObject(wrapAnswerFields),
  errors: WRAP_ERRORS,
  example: { txValueUsd: 27.63, userPubkey: EXAMPLE_WALLET, serviceWalletPubkey: EXAMPLE_SERVICE_WALLET, plan: "tree" },
  exampleAnswer: createExampleWrap(EXAMPLE_ROUND_UP),
});
