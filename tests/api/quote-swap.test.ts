import { afterEach, expect, inject, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { removeFaults, stageFault, UPSTREAM_TEXT_PATTERN } from "../support/chain/chain";
import { post, readData } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

afterEach(removeFaults);

const requestQuote = (body: Record<string, unknown>) =>
  post("/api/swap/quote", body, { headers: { "x-api-key": inject("apps").apiKey } });

/** Fixed in the sandbox. */
const PRICES_USD = { SOL: 150, BTC: 100_000, ETH: 3_500, USDC: 1, USDT: 1 };

test.each(["BTC", "ETH", "USDC", "USDT"] as const)(
  "200: quotes %s slightly below the market's price, with 1 % slippage by default",
  async (targetAsset) => {
    const quote = await readData(requestQuote({ inputLamports: 1_000_000_000, targetAsset }));
    const { mint, decimals } = ASSETS[targetAsset];
    expect(quote).toMatchObject({ inputSol: 1, targetAsset, slippageBps: 100, warning: null });
    expect(quote).toMatchObject({ outputMint: mint, outputDecimals: decimals, route: [expect.any(String)] });
    const worthUsd = (Number(quote.outputAmount) / 10 ** decimals) * PRICES_USD[targetAsset];
    expect(worthUsd).toBeLessThanOrEqual(PRICES_USD.SOL);
    expect(worthUsd).toBeGreaterThan(PRICES_USD.SOL * 0.999);
  },
);

test("200: quotes SOL for SOL one to one even when the market fails", async () => {
  await stageFault("/swap/v2/build");
  const quote = await readData(requestQuote({ inputLamports: 123_456_789, targetAsset: "SOL", slippageBps: 1000 }));
  const outputs = { outputMint: ASSETS.SOL.mint, outputAmount: "123456789", minimumOutputAmount: "123456789" };
  expect(quote).toMatchObject({ ...outputs, priceImpact: 0, route: [], warning: null });
});

test("200: quotes USDC into BTC and SOL in base units of USDC, with lamports of 0", async () => {
  for (const targetAsset of ["BTC", "SOL"] as const) {
    const quote = await readData(requestQuote({ payWith: "USDC", inputAmount: "6000000", targetAsset }));
    const input = {
      inputLamports: 0,
      inputSol: 0,
      inputMint: ASSETS.USDC.mint,
      inputAmount: "6000000",
      inputDecimals: 6,
    };
    expect(quote).toMatchObject({ ...input, targetAsset, outputMint: ASSETS[targetAsset].mint, warning: null });
    const worthUsd = (Number(quote.outputAmount) / 10 ** quote.outputDecimals) * PRICES_USD[targetAsset];
    expect(worthUsd).toBeLessThanOrEqual(6);
    expect(worthUsd).toBeGreaterThan(5.98);
  }
});

test.each([
  ["more than the market has", 1_000_000_000_000_000],
  ["less than one unit", 1],
])("422: finds no route for %s", async (_caseName, inputLamports) => {
  const answer = await requestQuote({ inputLamports });
  expectFailure(answer, "no_route");
  expect(answer.text).not.toMatch(UPSTREAM_TEXT_PATTERN);
});
