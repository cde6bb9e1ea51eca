import { z } from "zod";
import { defineContract } from "./define";
import { roundUpMembers, roundUpTermsFields } from "./round-up-members";
import { TxValueUsd } from "./scalars";

export const calculateRoundUpContract = defineContract({
  operation: "calculate-round-up",
  method: "POST",
  path: "/api/roundup",
  auth: "caller",
  tag: "Round-ups",
  summary: "The round-up of one purchase",
  description: "With no usable price the Sol and Lamports members and solPriceUsd are null; the dollars still answer.",
  body: z.strictObject({ txValueUsd: TxValueUsd, ...roundUpTermsFields }),
  data: z.strictObject(roundUpMembers),
  errors: [],
  example: { txValueUsd: 27.63, plan: "tree" },
  exampleAnswer: {
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
    roundUpLamports: 2466666,
    serviceFeeLamports: 12333,
    userInvestmentLamports: 2454333,
    solPriceUsd: 150,
    skipped: false,
    capped: false,
  },
});
