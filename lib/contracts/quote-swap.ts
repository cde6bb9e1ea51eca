import { z } from "zod";
import { SWAP_LAMPORTS_RANGE } from "../domain/limits";
import { defineContract } from "./define";
import { createExampleOutput } from "./examples";
import { Address, AssetName, BaseUnits, Lamports, limitToRange, SlippageBps, Sol, Usd } from "./scalars";

/** Output of a swap, for purchases and sales. */
export const outputMembers = {
  targetAsset: AssetName,
  outputMint: Address,
  outputAmount: BaseUnits,
  outputDecimals: z.int(),
  minimumOutputAmount: BaseUnits,
  slippageBps: z.int(),
  priceImpact: z.number().describe("Price impact as a fraction: 0.01 is 1 %"),
  route: z.array(z.string()),
  warning: z.string().nullable().describe("Why no build accepts this quote: it is worth less than the price allows"),
  priceUsd: Usd.nullable().describe("Market price of one coin of the target asset"),
};

/** A quote. POST /api/swap/quote returns it, and POST /api/swap/build repeats it for each transaction. */
export const SwapQuote = z
  .strictObject({ inputLamports: Lamports, inputSol: Sol, ...outputMembers })
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
    ...createExampleOutput("BTC", 37499n, 37124n, 1.874996e-6, 100000),
  },
});
