import { z } from "zod";
import { defineContract } from "./define";
import { AssetName, Timestamp, Usd } from "./scalars";

export const getPricesContract = defineContract({
  operation: "get-prices",
  method: "GET",
  path: "/api/price",
  auth: "none",
  tag: "Public",
  summary: "Get current USD prices, cached for 30 seconds",
  description: "After 5 minutes without a fresh price the call is a 503. A missing price is omitted, never 0.",
  data: z.strictObject({
    prices: z.strictObject({
      SOL: Usd,
      BTC: Usd.optional(),
      ETH: Usd.optional(),
      USDC: Usd.optional(),
      USDT: Usd.optional(),
    }),
    timestamp: Timestamp,
    ageMs: z.int().nonnegative(),
    stale: z.boolean().describe("True if a price is older than 30 seconds or in doubt"),
    source: z.string(),
    problems: z
      .array(
        z.strictObject({
          asset: AssetName,
          problem: z.enum(["missing", "disputed", "jumped", "unchecked"]),
          message: z.string(),
        }),
      )
      .describe("Assets whose price is missing from `prices`, or too doubtful for builds"),
  }),
  returnsCachedObjects: true,
  errors: ["price_stale"],
  exampleAnswer: {
    prices: { BTC: 100000, ETH: 3500, SOL: 150, USDC: 1, USDT: 1 },
    timestamp: "2026-11-21T04:04:41.132Z",
    ageMs: 5,
    stale: false,
    source: "sandbox",
    problems: [],
  },
});
