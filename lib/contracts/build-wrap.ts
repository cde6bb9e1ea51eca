import { z } from "zod";
import type { ErrorCode } from "../errors";
import { roundUpAnswerFields, roundUpTermsFields } from "./calculate-round-up";
import { defineContract } from "./define";
import { createExampleWrap, EXAMPLE_ROUND_UP, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import {
  Address,
  Instruction,
  Lamports,
  ReferenceInput,
  TxValueUsd,
  UnsignedTransaction,
  WalletAddress,
} from "./scalars";

/** Request fields besides the purchase, for a single round-up and for a batch. */
export const wrapRequestFields = {
  userPubkey: WalletAddress,
  serviceWalletPubkey: WalletAddress,
  reference: ReferenceInput,
  ...roundUpTermsFields,
};

/** Answer fields of POST /api/wrap. POST /api/wrap/batch adds its items. */
export const wrapAnswerFields = {
  instructions: z.array(Instruction),
  transaction: UnsignedTransaction.nullable(),
  unsigned: UnsignedTransaction.nullable().describe("Same as `transaction`"),
  computeUnits: z
    .int()
    .nonnegative()
    .describe("Compute units that `instructions` use at most; add them to a unit limit of your own transaction"),
  affordable: z.boolean().describe("True if the payer keeps 0 or at least the rent-exempt minimum afterwards"),
  breakdown: z.strictObject({
    ...roundUpAnswerFields,
    roundUpLamports: Lamports,
    serviceFeeLamports: Lamports,
    userInvestmentLamports: Lamports,
    activationLamports: Lamports,
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
  "price_stale",
  "service_not_ready",
];

const EXAMPLE_TRANSACTION = {
  base64:
    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQABBPvh1MenUbIOQxFrFMYtAQfqJB+DmbXvSx7nc2vUvUwW5ftvYU7XTtrYs+tU9sbzaQ2dnsPp65ZcqS/yWYwTJSh+GPW/NYh/QPRujejD4EM8z1cBq0QNz373oXF6IGkY+wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAvrK+atQkdM8zfKBFE+0PtYn0bJqonLg5xiRyWwPG/ykCAwIAAgwCAAAALTAAAAAAAAADAgABDAIAAAA9cyUAAAAAAAA=",
  blockhash: "DqQYak2SEVj6UctdrpNwzhNzacxHU26vnPBVURvuT2YG",
  lastValidBlockHeight: 426553006,
  validForMs: 30000,
};

export const buildWrapContract = defineContract({
  operation: "build-wrap",
  method: "POST",
  path: "/api/wrap",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the transfer instructions of one round-up, fee included",
  description:
    "Append `instructions` to your own transaction, or sign `transaction` as it is. For an empty service wallet, " +
    "a transfer adds the rent-exempt minimum (`activationLamports`), which stays in the user's own service wallet.",
  body: z.strictObject({ txValueUsd: TxValueUsd, ...wrapRequestFields }),
  data: z.strictObject(wrapAnswerFields),
  errors: WRAP_ERRORS,
  example: { txValueUsd: 27.63, userPubkey: EXAMPLE_WALLET, serviceWalletPubkey: EXAMPLE_SERVICE_WALLET, plan: "tree" },
  exampleAnswer: createExampleWrap(EXAMPLE_ROUND_UP, EXAMPLE_TRANSACTION),
});
