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
});
