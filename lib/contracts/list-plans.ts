import { z } from "zod";
import { PLAN_NAMES } from "../domain/plans";
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
  summary: "Plan tiers, defaults and supported assets",
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
  errors: [],
  cacheControl: "public, max-age=300",
});
