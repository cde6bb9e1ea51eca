import { z } from "zod";
import { defineContract } from "./define";
import { createExampleWrap, EXAMPLE_ROUND_UP, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { TxValueUsd } from "./scalars";
import { WRAP_ERRORS, wrapFields, wrapMembers } from "./wrap-members";

const EXAMPLE_TRANSACTION = {
  base64:
    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQABBPvh1MenUbIOQxFrFMYtAQfqJB+DmbXvSx7nc2vUvUwW5ftvYU7XTtrYs+tU9sbzaQ2dnsPp65ZcqS/yWYwTJSh+GPW/NYh/QPRujejD4EM8z1cBq0QNz373oXF6IGkY+wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAvrK+atQkdM8zfKBFE+0PtYn0bJqonLg5xiRyWwPG/ykCAwIAAQwCAAAAPXMlAAAAAAADAgACDAIAAAAtMAAAAAAAAAA=",
  blockhash: "DqQYak2SEVj6UctdrpNwzhNzacxHU26vnPBVURvuT2YG",
  lastValidBlockHeight: 426553006,
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
  body: z.strictObject({ txValueUsd: TxValueUsd, ...wrapFields }),
  data: z.strictObject(wrapMembers),
  errors: WRAP_ERRORS,
  example: {
    txValueUsd: 27.63,
    userPubkey: EXAMPLE_WALLET,
    serviceWalletPubkey: EXAMPLE_SERVICE_WALLET,
    plan: "tree",
  },
  exampleAnswer: createExampleWrap(EXAMPLE_ROUND_UP, EXAMPLE_TRANSACTION),
});
