import { z } from "zod";
import { defineContract } from "./define";
import { EXAMPLE_ROUND_UP } from "./examples";
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
  exampleAnswer: EXAMPLE_ROUND_UP,
});
