import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_ROUND_UP } from "./examples";
import { CeilingUsd, Lamports, Multiplier, PlanTier, RoundToUsd, Sol, TxValueUsd, Usd } from "./scalars";

export const roundUpTermsFields = {
  plan: PlanTier.optional(),
  roundToUsd: RoundToUsd.optional(),
  ceiling: CeilingUsd.optional(),
  multiplier: Multiplier.optional(),
};

/** The breakdown of POST /api/wrap has them too, and always lamports. */
export const roundUpAnswerFields = {
  txValueUsd: Usd,
  plan: PlanTier.nullable(),
  roundToUsd: Usd,
  ceilingUsd: Usd,
  multiplier: z.int(),
  roundedToUsd: Usd,
  roundUpUsd: Usd,
  roundUpSol: Sol.nullable(),
  serviceFeePercent: z.number(),
  serviceFeeUsd: Usd,
  serviceFeeSol: Sol.nullable(),
  userInvestmentUsd: Usd,
  userInvestmentSol: Sol.nullable(),
  roundUpLamports: Lamports.nullable(),
  serviceFeeLamports: Lamports.nullable(),
  userInvestmentLamports: Lamports.nullable(),
  solPriceUsd: Usd.nullable(),
  skipped: z.boolean(),
  capped: z.boolean(),
};

export const calculateRoundUpContract = defineContract({
  operation: "calculate-round-up",
  method: "POST",
  path: "/api/roundup",
  auth: "caller",
  tag: "Round-ups",
  summary: "Calculate the change of one payment",
  description:
    "Without a usable price, `solPriceUsd` and the fields in SOL and lamports are null. The fields in dollars are " +
    "never null.",
  body: z.strictObject({ txValueUsd: TxValueUsd, ...roundUpTermsFields }),
  data: z.strictObject(roundUpAnswerFields),
  errors: [],
  example: { txValueUsd: 27.63, plan: "tree" },
  exampleAnswer: EXAMPLE_ROUND_UP,
});
