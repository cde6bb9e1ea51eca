import { z } from "zod";
import { TOPUP_USD_RANGE } from "../domain/limits";
import { TOPUP_PERIOD_PATTERN } from "../domain/marks";
import { toMicroUsd } from "../domain/money";
import { toTopupTerms } from "../domain/round-up";
import { payFields, refuseSolAllowance, WRAP_ERRORS, wrapAnswerFields } from "./build-wrap";
import { defineContract } from "./define";
import { createExampleRoundUp, createExampleWrap, EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "./examples";
import { createMarkIssue, limitToRange, ReferenceInput, WalletAddress } from "./scalars";

export const buildTopupContract = defineContract({
  operation: "build-topup",
  method: "POST",
  path: "/api/topup",
  auth: "caller",
  tag: "Round-ups",
  summary: "Build the transfers of a one-off or recurring top-up",
  description:
    "Works as POST /api/wrap, but saves a fixed amount, at Forest's fee. In `breakdown`, `txValueUsd` is 0, and " +
    "`roundToUsd`, `ceilingUsd` and `roundUpUsd` equal the amount. POST /api/swap/execute accepts one top-up for " +
    "each `period` of a wallet.",
  body: z
    .strictObject({
      amountUsd: limitToRange(z.number(), TOPUP_USD_RANGE).meta({
        description: "Amount to save in US dollars, fee included",
        examples: [5],
      }),
      userPubkey: WalletAddress,
      serviceWalletPubkey: WalletAddress,
      period: z
        .string()
        .regex(TOPUP_PERIOD_PATTERN, "must be 1 to 32 letters, digits, dots, hyphens or underscores")
        .optional()
        .meta({
          description:
            "The period of a recurring top-up, in a memo on the chain. A UTC week, month or day (`2026-W47`, `2026-11`, " +
            "`2026-11-20`) is refused one period after its end. Other names never expire",
          examples: ["2026-W47"],
        }),
      reference: ReferenceInput,
      ...payFields,
    })
    .refine(refuseSolAllowance.check, refuseSolAllowance.issue)
    .refine(({ reference, period }) => reference === undefined || period === undefined, createMarkIssue("period")),
  data: z.strictObject(wrapAnswerFields),
  errors: WRAP_ERRORS,
  example: { amountUsd: 5, userPubkey: EXAMPLE_WALLET, serviceWalletPubkey: EXAMPLE_SERVICE_WALLET },
  exampleAnswer: createExampleWrap(createExampleRoundUp(0, 5, toTopupTerms(toMicroUsd(5)))),
});
