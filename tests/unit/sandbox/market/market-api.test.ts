import { createHash } from "node:crypto";
import { Keypair, PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import { QUOTE_TAKER } from "../../../../lib/domain/swap/quote-taker";
import { LISTINGS } from "../../../../lib/sandbox/market/quote";
import { LAMPORTS_PER_SOL as SOL } from "../../../../lib/solana/lamports";
import { NATIVE_MINT } from "../../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../../lib/solana/token-instructions";
import { createMarketRig, type MarketRig, OWNER_MISMATCH } from "../../../support/worlds/market-rig";

const BTC = ASSETS.BTC.mint;

let rig: MarketRig;
beforeAll(() => {
  rig = createMarketRig();
});

describe("GET /swap/v2/build", () => {
  test("lets the quote taker, whose key anyone can derive, take nothing", async () => {
    const { taker } = rig;
    onTestFinished(() => void Object.assign(rig, { taker }));
    rig.taker = Keypair.fromSeed(createHash("sha256").update("roundup/quote-taker").digest());
    expect(QUOTE_TAKER).toBe(rig.taker.publicKey.toBase58());
    expect(PublicKey.isOnCurve(QUOTE_TAKER)).toBe(true);
    rig.chain.airdrop(QUOTE_TAKER, 10n * SOL);
    expect(rig.runSwap(await rig.buildSwap())?.err).toEqual(OWNER_MISMATCH);
  });

  test("never lowers the impact for a larger trade, and never quotes more than the fair amount", async () => {
    const anyAmount = fc.bigInt({ min: 100_000n, max: 10n ** 13n });
    await fc.assert(
      fc.asyncProperty(
        anyAmount,
        anyAmount,
        fc.integer({ min: 0, max: 10_000 }),
        fc.constantFrom(...LISTINGS.keys()),
        async (amountA, amountB, slippageBps, mint) => {
          const [smallAmount, largeAmount] = amountA < amountB ? [amountA, amountB] : [amountB, amountA];
          const requestQuote = (amount: bigint) =>
            rig.buildSwap({ amount, outputMint: mint, slippageBps, taker: QUOTE_TAKER });
          const [smallTrade, largeTrade] = [await requestQuote(smallAmount), await requestQuote(largeAmount)];
          expect(Number(largeTrade.priceImpactPct)).toBeGreaterThanOrEqual(Number(smallTrade.priceImpactPct));
          expect(BigInt(largeTrade.outAmount)).toBeGreaterThanOrEqual(BigInt(smallTrade.outAmount));
          const { symbol, decimals } = LISTINGS.get(mint)!;
          for (const [amount, { outAmount, otherAmountThreshold }] of [
            [smallAmount, smallTrade],
            [largeAmount, largeTrade],
          ] as const) {
            const fairAmount =
              (amount * rig.prices.getMicroUsd("SOL") * 10n ** BigInt(decimals)) /
              (SOL * rig.prices.getMicroUsd(symbol));
            expect(BigInt(outAmount)).toBeLessThanOrEqual(fairAmount);
            expect(BigInt(otherAmountThreshold)).toBe((BigInt(outAmount) * BigInt(10_000 - slippageBps)) / 10_000n);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test.each<[string, Record<string, string | number | bigint>, string]>([
    ["an amount over the inventory", { amount: 10n ** 15n }, "No routes found"],
    ["an amount that buys less than one base unit", { amount: 1 }, "No routes found"],
    ["a mint nobody sells", { outputMint: QUOTE_TAKER }, "No routes found"],
    ["a mint nobody buys", { inputMint: QUOTE_TAKER }, "No routes found"],
    ["wrapped SOL as input", { wrapAndUnwrapSol: "false" }, "No routes found"],
    ["the same mint twice", { outputMint: NATIVE_MINT }, "inputMint and outputMint are the same"],
    ["no amount", { amount: "" }, "Query parameter amount is required"],
    ["amount 0", { amount: 0 }, "Invalid amount"],
    ["a negative amount", { amount: -1 }, "Invalid amount"],
    ["a fraction", { amount: "1.5" }, "Invalid amount"],
    ["an amount over 64 bits", { amount: 2n ** 64n }, "Invalid amount"],
    ["no taker", { taker: "" }, "Query parameter taker is required"],
    ["a taker that is not base58", { taker: "0".repeat(44) }, "Invalid taker"],
    ["a taker off the curve", { taker: deriveAssociatedTokenAddress(QUOTE_TAKER, BTC) }, "Invalid taker"],
    ["a slippage over 100 %", { slippageBps: 10_001 }, "Invalid slippageBps"],
    ["a slippage that is not a number", { slippageBps: "auto" }, "Invalid slippageBps"],
    ["no slots to expiry", { blockhashSlotsToExpiry: 0 }, "Invalid blockhashSlotsToExpiry"],
    ["too many accounts", { maxAccounts: 65 }, "Invalid maxAccounts"],
    ["a wrapAndUnwrapSol that is neither true nor false", { wrapAndUnwrapSol: "yes" }, "Invalid wrapAndUnwrapSol"],
  ])("answers 400 for %s", async (_, query, message) => {
    const count = rig.chain.countTransactions();
    const { status, body } = await rig.requestBuild(query);
    expect([status, body]).toEqual([400, { error: expect.stringContaining(message) }]);
    expect(rig.chain.countTransactions()).toBe(count);
    expect(rig.errors).toEqual([]);
  });
});
