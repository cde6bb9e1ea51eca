import { z } from "zod";
import { SWAP_LAMPORTS_RANGE } from "../domain/limits";
import { defineContract } from "./define";
import { AssetName, BaseUnitsInput, limitToRange, PayWith, SlippageBps } from "./scalars";
import { createExampleQuote, SwapQuote } from "./swap-fields";

export const quoteSwapContract = defineContract({
  operation: "quote-swap",
  method: "POST",
  path: "/api/swap/quote",
  auth: "caller",
  tag: "Swaps",
  summary: "Quote a swap from SOL or USDC into an asset",
  description:
    "The quote is an estimate, not an offer. POST /api/swap/build quotes again, and its transaction contains the least amount that it accepts.",
  body: z
    .strictObject({
      inputLamports: limitToRange(z.int(), SWAP_LAMPORTS_RANGE)
        .optional()
        .meta({ description: "SOL to swap, in lamports. Required unless `payWith` is USDC", examples: [250000000] }),
      payWith: PayWith.optional(),
      inputAmount: BaseUnitsInput.optional().describe("USDC to swap, in base units. Required if `payWith` is USDC"),
      targetAsset: AssetName.optional().describe("Default BTC"),
      slippageBps: SlippageBps.optional(),
    })
    .superRefine(({ payWith, inputLamports, inputAmount }, context) => {
      const [input, otherInput] =
        payWith === "USDC" ? ["inputAmount", "inputLamports"] : ["inputLamports", "inputAmount"];
      const amounts: Record<string, unknown> = { inputLamports, inputAmount };
      if (amounts[input!] === undefined) context.addIssue({ code: "custom", message: "is required", path: [input!] });
      if (amounts[otherInput!] !== undefined)
        context.addIssue({
          code: "custom",
          message: `does not go with payWith ${payWith ?? "SOL"}`,
          path: [otherInput!],
        });
    }),
  data: SwapQuote,
  errors: ["no_route"],
  example: { inputLamports: 250000000, targetAsset: "BTC" },
  exampleAnswer: createExampleQuote("SOL", 250000000n, "BTC", {
    amount: 37499n,
    minimum: 37124n,
    priceImpact: 1.874996e-6,
    priceUsd: 100000,
  }),
});
