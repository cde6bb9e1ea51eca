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
  summary: "Calculate the round-up of one purchase",
  description:
    "Without a usable price, `solPriceUsd` and the members in SOL and lamports are null. The members in dollars " +
    "are always there.",
  body: z.strictObject({ txValueUsd: TxValueUsd, ...roundUpTermsFields }),
  data: z.strictObject(roundUpMembers),
  errors: [],
  example: { txValueUsd: 27.63, plan: "tree" },
  exampleAnswer: EXAMPLE_ROUND_UP,
});
