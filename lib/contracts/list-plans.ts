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
  summary: "List plan tiers, defaults and supported assets",
  description:
    "A payment is rounded up to the next multiple of `roundToUsd`, by at most `ceiling` dollars. The fee is a percentage of the round-up.",
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
  fixed: true,
  errors: [],
  cacheControl: "public, max-age=300",
  exampleAnswer: {
    plans: {
      seed: { name: "Seed", roundToUsd: 0.05, serviceFeePercent: 1 },
      sprout: { name: "Sprout", roundToUsd: 0.1, serviceFeePercent: 0.75 },
      tree: { name: "Tree", roundToUsd: 0.5, serviceFeePercent: 0.5 },
      forest: { name: "Forest", roundToUsd: 1, serviceFeePercent: 0.25 },
    },
    ceiling: 1,
    defaultPlan: "sprout",
    defaultAsset: "BTC",
    defaultThreshold: 5,
    defaultSlippageBps: 100,
    supportedAssets: ["BTC", "ETH", "SOL", "USDC", "USDT"],
    assets: {
      BTC: { mint: "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij", decimals: 8, name: "Coinbase Wrapped BTC" },
      ETH: { mint: "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs", decimals: 8, name: "Ether (Portal)" },
      SOL: { mint: "So11111111111111111111111111111111111111112", decimals: 9, name: "Solana" },
      USDC: { mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6, name: "USD Coin" },
      USDT: { mint: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", decimals: 6, name: "Tether USD" },
    },
    network: "sandbox",
  },
});
