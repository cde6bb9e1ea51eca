import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
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
    "Append `instructions` to your own transaction, or sign `transaction` as it is. A service wallet that is still empty first gets " +
    "the rent-exempt minimum (`activationLamports`): the user's own money in the user's own wallet.",
  body: z.strictObject({ txValueUsd: TxValueUsd, ...wrapFields }),
  data: z.strictObject(wrapMembers),
  errors: WRAP_ERRORS,
  example: {
    txValueUsd: 27.63,
    userPubkey: EXAMPLE_WALLET,
    serviceWalletPubkey: EXAMPLE_SERVICE_WALLET,
    plan: "tree",
  },
  exampleAnswer: {
    instructions: [
      {
        programId: "11111111111111111111111111111111",
        accounts: [
          { pubkey: EXAMPLE_WALLET, isSigner: true, isWritable: true },
          { pubkey: EXAMPLE_SERVICE_WALLET, isSigner: false, isWritable: true },
        ],
        data: "AgAAAD1zJQAAAAAA",
      },
      {
        programId: "11111111111111111111111111111111",
        accounts: [
          { pubkey: EXAMPLE_WALLET, isSigner: true, isWritable: true },
          { pubkey: "9VESniKzYAiJK7ZYJkWEvpVKj6Ef5VVjCJYmPkUCF2LA", isSigner: false, isWritable: true },
        ],
        data: "AgAAAC0wAAAAAAAA",
      },
    ],
    transaction: EXAMPLE_TRANSACTION,
    unsigned: EXAMPLE_TRANSACTION,
    affordable: true,
    breakdown: {
      txValueUsd: 27.63,
      plan: "tree",
      roundToUsd: 0.5,
      ceilingUsd: 1,
      multiplier: 1,
      roundedToUsd: 28,
      roundUpUsd: 0.37,
      roundUpSol: 0.002466666,
      serviceFeePercent: 0.5,
      serviceFeeUsd: 0.00185,
      serviceFeeSol: 1.2333e-5,
      userInvestmentUsd: 0.36815,
      userInvestmentSol: 0.002454333,
      solPriceUsd: 150,
      skipped: false,
      capped: false,
      roundUpLamports: 2466666,
      serviceFeeLamports: 12333,
      userInvestmentLamports: 2454333,
      activationLamports: 0,
      networkFeeLamports: 5000,
      totalLamports: 2471666,
      feeCollector: "9VESniKzYAiJK7ZYJkWEvpVKj6Ef5VVjCJYmPkUCF2LA",
    },
  },
});
