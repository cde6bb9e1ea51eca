import { ComputeBudgetProgram, Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import { createJupiter } from "../../../../lib/clients/jupiter/jupiter";
import { ASSETS } from "../../../../lib/domain/assets";
import { QUOTE_TAKER } from "../../../../lib/domain/swap/quote-taker";
import type { SwapRequest } from "../../../../lib/domain/swap/swap-plan";
import { KeyRefused } from "../../../../lib/errors";
import { MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS } from "../../../../lib/solana/compute-budget";
import { COMPUTE_BUDGET_PROGRAM, NATIVE_MINT, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { catchAppError } from "../../../support/fakes/staged-rpc";
import { answerJson, answerText, startStagedServerForFile } from "../../../support/fakes/staged-server";
import { outlastTimeouts } from "../../../support/fakes/staged-timeouts";

const SECRET = "secret-token";
const key = () => Keypair.generate().publicKey.toBase58();
const TAKER = key();
const STRANGER = key();
const BTC = ASSETS.BTC.mint;
const BLOCKHASH = key();
const jup = await startStagedServerForFile();

const client = ({ apiKey, timeoutMs = 20_000 }: { apiKey?: string; timeoutMs?: number } = {}) =>
  createJupiter({ baseUrl: `${jup.url}/`, apiKey, timeoutMs, clock: createManualClock() });

const request: SwapRequest = {
  inputMint: NATIVE_MINT,
  outputMint: BTC,
  amount: 50_000_000n,
  slippageBps: 100,
  taker: TAKER,
};

const named = (name: string, signer?: string) => ({
  programId: TOKEN_PROGRAM,
  accounts: signer ? [{ pubkey: signer, isSigner: true, isWritable: true }] : [],
  data: Buffer.from(name).toString("base64"),
});
const price = (microLamports: bigint) => ({
  programId: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: ComputeBudgetProgram.setComputeUnitPrice({ microLamports }).data.toString("base64"),
});
const unitLimit = {
  programId: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }).data.toString("base64"),
};

const build = (changes: object = {}) => ({
  inputMint: NATIVE_MINT,
  outputMint: BTC,
  inAmount: "50000000",
  outAmount: "10001",
  otherAmountThreshold: "9900",
  swapMode: "ExactIn",
  slippageBps: 100,
  priceImpactPct: "0.0012",
  routePlan: [
    { swapInfo: { label: "Whirlpool", ammKey: STRANGER }, percent: 100, bps: 10_000 },
    { swapInfo: { label: "Meteora DLMM" }, percent: 100, bps: 10_000 },
  ],
  computeBudgetInstructions: [price(10_000n)],
  setupInstructions: [named("setup 1", TAKER), named("setup 2")],
  swapInstruction: named("swap", TAKER),
  cleanupInstruction: named("cleanup"),
  otherInstructions: [named("other")],
  tipInstruction: named("tip"),
  addressesByLookupTableAddress: { [STRANGER]: [TAKER, BTC] },
  blockhashWithMetadata: { blockhash: [...bs58.decode(BLOCKHASH)], lastValidBlockHeight: 300_000_000 },
  ...changes,
});

describe("planSwap", () => {
  test("returns the whole plan, with instructions in the order they must run", async () => {
    jup.stage = answerJson(build());
    const { instructions, ...plan } = await client().planSwap(request);
    expect(plan).toEqual({
      inputAmount: 50_000_000n,
      outputAmount: 10_001n,
      minimumOutputAmount: 9_900n,
      slippageBps: 100,
      priceImpact: 0.0012,
      route: ["Whirlpool", "Meteora DLMM"],
      lookupTables: { [STRANGER]: [TAKER, BTC] },
    });
    const data = instructions.map((instruction) => Buffer.from(instruction.data, "base64").toString());
    expect(data.slice(1)).toEqual(["setup 1", "setup 2", "swap", "cleanup", "other", "tip"]);
    expect(instructions[0]).toEqual(price(10_000n));
  });

  test("sends the request's fields and the configured key", async () => {
    jup.stage = answerJson(build());
    await client({ apiKey: "my-key" }).planSwap(request);
    await client().planSwap(request);
    expect(jup.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["my-key", undefined]);
    expect(jup.requests[0]).toMatchObject({ method: "GET", path: "/swap/v2/build" });
    expect(Object.fromEntries(jup.requests[0]!.query)).toEqual({
      inputMint: NATIVE_MINT,
      outputMint: BTC,
      amount: "50000000",
      taker: TAKER,
      slippageBps: "100",
      wrapAndUnwrapSol: "true",
    });
  });

  test("sells a token like SOL", async () => {
    const sale = { inputMint: BTC, outputMint: NATIVE_MINT };
    jup.stage = answerJson(build({ ...sale, inAmount: "12345" }));
    await client().planSwap({ ...request, ...sale, amount: 12_345n });
    expect(Object.fromEntries(jup.requests[0]!.query)).toMatchObject({ ...sale, amount: "12345" });
  });

  test("requests a quote for the fixed taker, the only permitted signer", async () => {
    const asQuote = { setupInstructions: [], swapInstruction: named("swap", QUOTE_TAKER) };
    jup.stage = answerJson(build(asQuote));
    await client().planSwap({ ...request, taker: null });
    expect(jup.requests[0]!.query.get("taker")).toBe(QUOTE_TAKER);
  });

  test("accepts an answer without optional instructions and lookup tables", async () => {
    const withoutOptionalParts = {
      cleanupInstruction: null,
      tipInstruction: null,
      addressesByLookupTableAddress: null,
    };
    jup.stage = answerJson(build({ ...withoutOptionalParts, otherInstructions: [], setupInstructions: [] }));
    const plan = await client().planSwap(request);
    expect(plan.instructions).toHaveLength(2);
    expect(plan.lookupTables).toEqual({});
  });

  test("reduces an absurd compute unit price to the cap", async () => {
    jup.stage = answerJson(build({ computeBudgetInstructions: [price(1n << 63n)] }));
    const [first] = (await client().planSwap(request)).instructions;
    expect(first).toEqual(price(MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS));
  });

  test("keeps only one price of the compute budget instructions", async () => {
    const foreign = { ...price(5n), programId: TOKEN_PROGRAM };
    jup.stage = answerJson(build({ computeBudgetInstructions: [unitLimit, foreign, price(7n), price(9n)] }));
    const { instructions } = await client().planSwap(request);
    expect(instructions).toHaveLength(7);
    expect(instructions[0]).toEqual(price(7n));
  });

  test.each([
    ["a threshold exactly at the slippage limit", { outAmount: "10000", otherAmountThreshold: "9900" }],
    ["a threshold as good as the quote", { otherAmountThreshold: "10001" }],
    ["amounts above 2^53", { outAmount: "18446744073709551615", otherAmountThreshold: "18446744073709551615" }],
    ["a price impact as a number", { priceImpactPct: 0.0012 }],
  ])("accepts %s", async (_what, changes) => {
    jup.stage = answerJson(build(changes));
    await client().planSwap(request);
  });

  test.each([
    ["another input mint", { inputMint: BTC }],
    ["another output mint", { outputMint: ASSETS.ETH.mint }],
    ["another amount", { inAmount: "50000001" }],
    ["another slippage", { slippageBps: 101 }],
    ["nothing out", { outAmount: "0", otherAmountThreshold: "0" }],
    ["a threshold above the quote", { otherAmountThreshold: "10002" }],
    ["a threshold below what the slippage allows", { outAmount: "10001", otherAmountThreshold: "9899" }],
    ["a negative amount", { outAmount: "-5" }],
    ["an amount as a number", { outAmount: 10_001 }],
    ["a price impact that is no number", { priceImpactPct: "none" }],
    ["another signer", { swapInstruction: named("swap", STRANGER) }],
    ["another signer of the tip", { tipInstruction: named("tip", STRANGER) }],
    ["no swap", { swapInstruction: null }],
    ["a program that is no address", { otherInstructions: [{ ...named("x"), programId: "0".repeat(40) }] }],
    ["data that is not base64", { otherInstructions: [{ ...named("x"), data: "***" }] }],
    ["too many instructions", { otherInstructions: Array.from({ length: 17 }, () => named("x")) }],
    [
      "too many accounts",
      { swapInstruction: { ...named("x"), accounts: Array(129).fill(named("x", TAKER).accounts[0]) } },
    ],
    ["an overlong lookup table", { addressesByLookupTableAddress: { [STRANGER]: Array(257).fill(TAKER) } }],
    ["a lookup table that is no address", { addressesByLookupTableAddress: { x: [TAKER] } }],
  ])("fails as upstream_invalid on %s", async (_what, changes) => {
    jup.stage = answerJson(build(changes));
    expect((await catchAppError(client().planSwap(request))).code).toBe("upstream_invalid");
  });

  test("passes a limit on the number of accounts", async () => {
    jup.stage = answerJson(build());
    await client().planSwap({ ...request, maxAccounts: 40 });
    expect(jup.requests[0]!.query.get("maxAccounts")).toBe("40");
  });

  test.each([
    ["no_route", "no route", answerJson({ error: `No routes found ${SECRET}` }, 400)],
    ["upstream_invalid", "a list of issues", answerJson({ error: { issues: [{ message: SECRET }] } }, 400)],
    ["upstream_invalid", "another refusal", answerJson({ error: `Invalid taker: ${SECRET}` }, 400)],
    ["upstream_invalid", "no JSON", answerText(`No routes found ${SECRET}`, 400)],
  ])("fails as %s on a 400 with %s, without Jupiter's text", async (code, _what, stage) => {
    jup.stage = stage;
    const error = await catchAppError(client().planSwap(request));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error, String(error.details.cause)])).not.toContain(SECRET);
  });

  test.each([401, 403])("reports a refused key on %i", async (status) => {
    jup.stage = answerJson({ code: status, message: SECRET }, status);
    for (const asking of [client().planSwap(request), client().readPrices([BTC])]) {
      const error = await catchAppError(asking);
      expect([error.code, error.details.cause]).toEqual(["upstream_unavailable", expect.any(KeyRefused)]);
    }
  });
});

test("a list instead of prices fails as upstream_invalid", async () => {
  jup.stage = answerJson([]);
  expect((await catchAppError(client().readPrices(["mint"]))).code).toBe("upstream_invalid");
});

describe("prices", () => {
  test("returns the prices of the requested mints, without unpriced and malformed ones", async () => {
    jup.stage = answerJson({
      good: { usdPrice: 1.5, blockId: null, decimals: 6, priceChange24h: null, liquidity: 1 },
      zero: { usdPrice: 0 },
      negative: { usdPrice: -1 },
      textual: { usdPrice: "1.5" },
      empty: null,
      notAsked: { usdPrice: 9 },
    });
    const mints = ["good", "zero", "negative", "textual", "empty", "absent", "toString"];
    expect(await client().readPrices(mints)).toEqual({ good: { usd: 1.5 } });
    expect(jup.requests[0]).toMatchObject({ method: "GET", path: "/price/v3" });
    expect(jup.requests[0]!.query.get("ids")).toBe(mints.join(","));
  });

  test("makes no call for an empty list and throws above 50 mints", async () => {
    expect(await client().readPrices([])).toEqual({});
    await expect(client().readPrices(Array(51).fill("mint"))).rejects.toThrow(RangeError);
    expect(jup.requests).toHaveLength(0);
  });
});

test("keeps serving prices while builds hang", async () => {
  const usd = 100_000;
  const outlast = outlastTimeouts();
  jup.stage = (call, response) => {
    if (call.path === "/price/v3") answerJson({ [BTC]: { usdPrice: usd } })(call, response);
    else outlast(call, response);
  };
  const jupiter = client();
  expect((await catchAppError(jupiter.planSwap(request))).code).toBe("upstream_timeout");
  expect(await catchAppError(jupiter.planSwap(request))).toMatchObject({
    code: "upstream_unavailable",
    details: { retryAfterSeconds: 3 },
  });
  expect(await jupiter.readPrices([BTC])).toEqual({ [BTC]: { usd } });
  expect(jup.requests.map(({ path }) => path)).toEqual(["/swap/v2/build", "/price/v3"]);
});
