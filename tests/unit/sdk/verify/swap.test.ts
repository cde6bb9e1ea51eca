import { describe, expect, test } from "vitest";
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

describe("a swap at its fair price", () => {
  test.each([{ SOL: 10 }, { SOL: 10_000 }, { BTC: 5_000 }, { BTC: 5_000_000 }])(
    "is accepted up to the bounds of a plausible price: %o",
    (prices) => {
      expect(findRefusal(prices)).toBeNull();
    },
  );

  test.each<[string, Reason, Parameters<typeof findRefusal>[0], Parameters<typeof findRefusal>[1]?]>([
    ["the price of the sold asset is missing", "implausible", { SOL: undefined }],
    ["the price of the bought asset is missing", "implausible", { BTC: undefined }],
    ["the price of the sold asset is too low", "implausible", { SOL: 9.99 }],
    ["the price of the sold asset is too high", "implausible", { SOL: 10_001 }],
    ["the price of the bought asset is too low", "implausible", { BTC: 4_999 }],
    ["the price of the bought asset is too high", "implausible", { BTC: 5_000_001 }],
    ["an unsupported token is sold", "other_token", {}, { inputMint: UNKNOWN_MINT }],
    ["an unsupported token is bought", "other_token", {}, { outputMint: UNKNOWN_MINT }],
  ])("is refused if %s", (_caseName, reason, prices, mints) => {
    expect(findRefusal(prices, mints)).toBe(reason);
  });
});
