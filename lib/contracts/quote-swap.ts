import { z } from "zod";
import { SWAP_LAMPORTS_RANGE } from "../domain/limits";
import { defineContract } from "./define";
import { createExampleOutput } from "./examples";
import { AssetName, Lamports, limitToRange, SlippageBps, Sol } from "./scalars";
import { swapOutputFields } from "./swap-fields";

/** A quote. POST /api/swap/quote returns it, and POST /api/swap/build repeats it for each transaction. */
export const SwapQuote = z
  .strictObject({ inputLamports: Lamports, inputSol: Sol, ...swapOutputFields })
  .meta({ id: "SwapQuote" });

export const quoteSwapContract = defineContract({
  operation: "quote-swap",
  method: "POST",
  path: "/api/swap/quote",
  auth: "caller",
  tag: "Swaps",
  summary: "Quote a swap from SOL into an asset",
  description:
    "The quote is an estimate, not an offer. POST /api/swap/build quotes again, and its transaction contains the least amount that it accepts.",
  body: z.strictObject({
    inputLamports: limitToRange(z.int(), SWAP_LAMPORTS_RANGE).meta({
      description: "SOL to swap, in lamports",
      examples: [250000000],
    }),
    targetAsset: AssetName.optional().describe("Default BTC"),
    slippageBps: SlippageBps.optional(),
  }),
  data: SwapQuote,
  errors: ["no_route"],
  example: { inputLamports: 250000000, targetAsset: "BTC" },
  exampleAnswer: {
    inputLamports: 250000000,
    inputSol: 0.25,
    ...createExampleOutput("BTC", { amount: 37499n, minimum: 37124n, priceImpact: 1.874996e-6, priceUsd: 100000 }),
  },
});
