import { expect, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import type { Reason } from "../../../../lib/domain/not-as-shown";
import { requireFairSwap } from "../../../../lib/sdk/verify/swap";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const WALLET = toTestWallet("service").address;
const UNKNOWN_MINT = toTestWallet("unknown mint").address;
const PRICES = { SOL: 150, BTC: 100_000 };

/** Returns why a sale of one SOL for BTC at these prices is refused, or null. */
function findRefusal(prices: { SOL?: number; BTC?: number }, mints: { inputMint?: string; outputMint?: string } = {}) {
  const { SOL, BTC } = { ...PRICES, ...prices };
  const minimum = BigInt(Math.round((1e8 * (SOL ?? PRICES.SOL)) / (BTC ?? PRICES.BTC)));
  const pair = { inputMint: ASSETS.SOL.mint, outputMint: ASSETS.BTC.mint, inputAmount: 1_000_000_000n, ...mints };
  const terms = { ...pair, wallet: WALLET, minimumOutput: minimum, slippageBps: 100 };
  return catchReason(() => requireFairSwap(terms, minimum, { ...PRICES, ...prices }));
}

test.each<[string, Reason | null, Parameters<typeof findRefusal>[0], Parameters<typeof findRefusal>[1]?]>([
  ["the lowest plausible price of the sold asset", null, { SOL: 10 }],
  ["the highest plausible price of the sold asset", null, { SOL: 10_000 }],
  ["the lowest plausible price of the bought asset", null, { BTC: 5_000 }],
  ["the highest plausible price of the bought asset", null, { BTC: 5_000_000 }],
  ["no price of the sold asset", "implausible", { SOL: undefined }],
  ["no price of the bought asset", "implausible", { BTC: undefined }],
  ["too low a price of the sold asset", "implausible", { SOL: 9.99 }],
  ["too high a price of the sold asset", "implausible", { SOL: 10_001 }],
  ["too low a price of the bought asset", "implausible", { BTC: 4_999 }],
  ["too high a price of the bought asset", "implausible", { BTC: 5_000_001 }],
  ["an unsupported token to sell", "other_token", {}, { inputMint: UNKNOWN_MINT }],
  ["an unsupported token to buy", "other_token", {}, { outputMint: UNKNOWN_MINT }],
])("a swap at its fair price with %s is checked (reason: %s)", (_caseName, reason, prices, mints) => {
  expect(findRefusal(prices, mints)).toBe(reason);
});
