import { z } from "zod";
import { defineContract } from "./define";
import { AssetName, Timestamp, Usd } from "./scalars";

export const getPricesContract = defineContract({
  operation: "get-prices",
  method: "GET",
  path: "/api/price",
  auth: "none",
  tag: "Public",
  summary: "Current USD prices, cached for 30 seconds",
  description: "A price older than 30 seconds is marked `stale`; after 5 minutes without a fresh one this is a 503.",
  data: z.strictObject({
    prices: z.record(AssetName, Usd),
    timestamp: Timestamp,
    ageMs: z.int().nonnegative(),
    stale: z.boolean(),
    source: z.string(),
  }),
  errors: ["price_stale", "upstream_unavailable", "upstream_invalid", "upstream_timeout"],
  exampleAnswer: {
    prices: { BTC: 100000, ETH: 3500, SOL: 150, USDC: 1, USDT: 1 },
    timestamp: "2026-11-21T04:04:41.132Z",
    ageMs: 5,
    stale: false,
    source: "jupiter",
  },
});
