import { z } from "zod";
import { ASSET_SYMBOLS } from "../domain/assets";
import { MAX_HISTORY_DAYS } from "../domain/prices/price-history";
import { defineContract } from "./define";
import { AssetName, Timestamp, Usd } from "./scalars";

/** Of each asset. */
export const MAX_POINTS = 400;

const AssetOrAll = z.enum([...ASSET_SYMBOLS, "all"]);
const PricePoints = z.array(z.strictObject({ time: Timestamp, usd: Usd })).max(MAX_POINTS);

export const getPriceHistoryContract = defineContract({
  operation: "get-price-history",
  method: "GET",
  path: "/api/prices/history",
  auth: "none",
  tag: "Public",
  summary: "Get daily USD prices of one asset or of all, up to five years back",
  description:
    `One reading a day (UTC), oldest first, and the current price last. More than ${MAX_POINTS} are thinned out evenly; the first and the last stay. ` +
    "Days without a known price are absent, so a new deployment without Pyth begins with today.",
  query: z.strictObject({
    asset: AssetOrAll.optional().describe("Default: every asset"),
    days: z.int().min(1).max(MAX_HISTORY_DAYS).optional().describe("Number of days; default 365"),
  }),
  data: z.strictObject({
    asset: AssetOrAll,
    source: z
      .string()
      .nullable()
      .describe("The price source, as in GET /api/price, or `pyth`; null if no price is known"),
    points: PricePoints.optional().describe("Points of the requested asset; absent if every asset was requested"),
    series: z
      .array(z.strictObject({ asset: AssetName, points: PricePoints }))
      .optional()
      .describe("Points by asset; present if every asset was requested"),
  }),
  errors: [],
  cacheControl: "public, max-age=60",
  example: { asset: "SOL", days: 2 },
  exampleAnswer: {
    asset: "SOL",
    source: "sandbox",
    points: [
      { time: "2026-11-20T00:00:00.000Z", usd: 147.31 },
      { time: "2026-11-21T00:00:00.000Z", usd: 151.02 },
      { time: "2026-11-21T04:04:41.132Z", usd: 150 },
    ],
  },
});
