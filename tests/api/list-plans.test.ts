import { expect, test } from "vitest";
import { data, get } from "../support/client/client";

test("200: returns the plans, defaults and assets of the contract", async () => {
  expect(await data(get("/api/plans"))).toEqual({
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
      BTC: { mint: "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij", decimals: 8, name: expect.any(String) },
      ETH: { mint: "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs", decimals: 8, name: expect.any(String) },
      SOL: { mint: "So11111111111111111111111111111111111111112", decimals: 9, name: expect.any(String) },
      USDC: { mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6, name: expect.any(String) },
      USDT: { mint: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", decimals: 6, name: expect.any(String) },
    },
    network: "sandbox",
  });
});
