import { z } from "zod";
import { ASSETS } from "../domain/assets";
import { PLAN_NAMES, PLANS } from "../domain/plans";
import { defineContract } from "./define";
import { Address, AssetName, Network, PlanTier } from "./scalars";

const Plan = z.strictObject({ name: z.string(), roundToUsd: z.number(), serviceFeePercent: z.number() });
const Asset = z.strictObject({ mint: Address, decimals: z.int(), name: z.string() });

export const listPlansContract = defineContract({
  operation: "list-plans",
  method: "GET",
  path: "/api/plans",
  auth: "none",
  tag: "Public",
  summary: "List plan tiers, defaults and supported assets",
  description:
    "A payment is rounded up to the next multiple of `roundToUsd`, by at most `ceiling` dollars. The fee is a percentage of the change.",
  data: z.strictObject({
    plans: z.record(z.enum(PLAN_NAMES), Plan),
    ceiling: z.number(),
    defaultPlan: PlanTier,
    defaultAsset: AssetName,
    defaultThreshold: z.number(),
    defaultSlippageBps: z.int(),
    supportedAssets: z.array(AssetName),
    assets: z.record(AssetName, Asset),
    network: Network,
  }),
  isFixed: true,
  errors: [],
  cacheControl: "public, max-age=300",
  exampleAnswer: {
    plans: PLANS,
    ceiling: 1,
    defaultPlan: "sprout",
    defaultAsset: "BTC",
    defaultThreshold: 5,
    defaultSlippageBps: 100,
    supportedAssets: ["BTC", "ETH", "SOL", "USDC", "USDT"],
    assets: ASSETS,
    network: "sandbox",
  },
});
