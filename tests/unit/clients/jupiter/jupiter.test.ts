import { ComputeBudgetProgram } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { createJupiter } from "../../../../lib/clients/jupiter/jupiter";
import { ASSETS } from "../../../../lib/domain/assets";
import type { SwapRequest } from "../../../../lib/domain/swap/swap-plan";
import { KeyRefusedFault } from "../../../../lib/errors";
import { MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS } from "../../../../lib/solana/compute-budget";
import { COMPUTE_BUDGET_PROGRAM, NATIVE_MINT, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { catchAppError, createAddress } from "../../../support/fakes/staged-rpc";
import { answerJson, answerText, startStagedServerForFile } from "../../../support/fakes/staged-server";
import { createTimeoutStage } from "../../../support/fakes/timeout-stage";

const SECRET = "secret-token";
const TAKER = createAddress();
const STRANGER = createAddress();
const BTC = ASSETS.BTC.mint;
const server = await startStagedServerForFile();

const createClient = (options: { apiKey?: string; priorityFeePercentile?: number } = {}) =>
  createJupiter({ baseUrl: `${server.url}/`, timeoutMs: 20_000, clock: createManualClock(), ...options });

const request: SwapRequest = {
  inputMint: NATIVE_MINT,
  outputMint: BTC,
  amount: 50_000_000n,
  slippageBps: 100,
  taker: TAKER,
};

/** Creates an instruction whose data are its name. */
const createInstruction = (name: string, signer?: string) => ({
  programId: TOKEN_PROGRAM,
  accounts: signer ? [{ pubkey: signer, isSigner: true, isWritable: true }] : [],
  data: Buffer.from(name).toString("base64"),
});
const createBudgetInstruction = ({ data }: { data: Buffer }) => {
  return { programId: COMPUTE_BUDGET_PROGRAM, accounts: [], data: data.toString("base64") };
};
const createUnitPrice = (microLamports: bigint) =>
  createBudgetInstruction(ComputeBudgetProgram.setComputeUnitPrice({ microLamports }));
const UNIT_LIMIT = createBudgetInstruction(ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }));

const TAKER_ACCOUNT = { pubkey: TAKER, isSigner: true, isWritable: true };

/** Creates Jupiter's answer to `request`. */
const createAnswer = (overrides: object = {}) => ({
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
  computeBudgetInstructions: [createUnitPrice(10_000n)],
  setupInstructions: [createInstruction("setup 1", TAKER), createInstruction("setup 2")],
  swapInstruction: createInstruction("swap", TAKER),
  cleanupInstruction: createInstruction("cleanup"),
  otherInstructions: [createInstruction("other")],
  tipInstruction: createInstruction("tip"),
  addressesByLookupTableAddress: { [STRANGER]: [TAKER, BTC] },
  blockhashWithMetadata: { blockhash: Array(32).fill(7), lastValidBlockHeight: 300_000_000 },
  ...overrides,
});

/** Plans the swap of `request` from an answer with these overrides. */
function planFromAnswer(overrides: object = {}) {
  server.stage = answerJson(createAnswer(overrides));
  return createClient().planSwap(request);
}

describe("planSwap", () => {
  test("sends the request's fields, the configured key and the percentile of priority fees", async () => {
    server.stage = answerJson(createAnswer());
    await createClient({ apiKey: "my-key", priorityFeePercentile: 75 }).planSwap(request);
    await createClient().planSwap(request);
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["my-key", undefined]);
    expect(server.requests[0]).toMatchObject({ method: "GET", path: "/swap/v2/build" });
    expect(Object.fromEntries(server.requests[0]!.query)).toEqual({
      inputMint: NATIVE_MINT,
      outputMint: BTC,
      amount: "50000000",
      taker: TAKER,
      slippageBps: "100",
      wrapAndUnwrapSol: "true",
      computeUnitPricePercentile: "7500",
    });
  });

  test("keeps only the first compute unit price, reduced to the maximum", async () => {
    const otherProgramsPrice = { ...createUnitPrice(5n), programId: TOKEN_PROGRAM };
    const unitPrices = [otherProgramsPrice, createUnitPrice(1n << 63n), createUnitPrice(9n)];
    const { instructions } = await planFromAnswer({ computeBudgetInstructions: [UNIT_LIMIT, ...unitPrices] });
    expect(instructions).toHaveLength(7);
    expect(instructions[0]).toEqual(createUnitPrice(MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS));
  });

  test.each([
    ["another input mint", { inputMint: BTC }],
    ["another output mint", { outputMint: ASSETS.ETH.mint }],
    ["another amount", { inAmount: "50000001" }],
    ["another slippage", { slippageBps: 101 }],
    ["no output", { outAmount: "0", otherAmountThreshold: "0" }],
    ["a threshold above the quote", { otherAmountThreshold: "10002" }],
    ["a threshold below what the slippage allows", { outAmount: "10001", otherAmountThreshold: "9899" }],
    ["a negative amount", { outAmount: "-5" }],
    ["an amount as a number", { outAmount: 10_001 }],
    ["a price impact that is not a number", { priceImpactPct: "none" }],
    ["another signer", { swapInstruction: createInstruction("swap", STRANGER) }],
    ["another signer of the tip", { tipInstruction: createInstruction("tip", STRANGER) }],
    ["no swap", { swapInstruction: null }],
    [
      "a program that is not an address",
      { otherInstructions: [{ ...createInstruction("x"), programId: "0".repeat(40) }] },
    ],
    ["data that is not base64", { otherInstructions: [{ ...createInstruction("x"), data: "***" }] }],
    ["too many instructions", { otherInstructions: Array.from({ length: 17 }, () => createInstruction("x")) }],
    ["too many accounts", { swapInstruction: { ...createInstruction("x"), accounts: Array(129).fill(TAKER_ACCOUNT) } }],
    ["an overlong lookup table", { addressesByLookupTableAddress: { [STRANGER]: Array(257).fill(TAKER) } }],
    ["a lookup table that is not an address", { addressesByLookupTableAddress: { x: [TAKER] } }],
  ])("fails as upstream_invalid on %s", async (_caseName, overrides) => {
    expect((await catchAppError(planFromAnswer(overrides))).code).toBe("upstream_invalid");
  });

  test.each([
    ["no_route", "no route", answerJson({ error: `No routes found ${SECRET}` }, 400)],
    ["no_route", "no quotes", answerJson({ requestId: SECRET, error: "Failed to get quotes" }, 400)],
    ["no_route", "a token without a market", answerJson({ error: `The token ${SECRET} is not tradable` }, 400)],
    ["no_route", "a code of routing", answerJson({ error: SECRET, errorCode: "COULD_NOT_FIND_ANY_ROUTE" }, 400)],
    ["upstream_invalid", "a wrong routing option", answerJson({ error: "Invalid value of onlyDirectRoutes" }, 400)],
    ["upstream_invalid", "a list of issues", answerJson({ error: { issues: [{ message: SECRET }] } }, 400)],
    ["upstream_invalid", "another refusal", answerJson({ error: `Invalid taker: ${SECRET}` }, 400)],
    ["upstream_invalid", "no JSON", answerText(`No routes found ${SECRET}`, 400)],
  ])("fails as %s on a 400 with %s, without Jupiter's text", async (code, _caseName, stage) => {
    server.stage = stage;
    const error = await catchAppError(createClient().planSwap(request));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error, String(error.details.cause)])).not.toContain(SECRET);
  });

  test.each([401, 403])("reports a refused key on %i", async (status) => {
    server.stage = answerJson({ code: status, message: SECRET }, status);
    for (const call of [createClient().planSwap(request), createClient().readPrices([BTC])]) {
      const error = await catchAppError(call);
      expect([error.code, error.details.cause]).toEqual(["upstream_unavailable", expect.any(KeyRefusedFault)]);
    }
  });
});

test("readPrices returns the prices of the requested mints, without unpriced and malformed ones", async () => {
  server.stage = answerJson({
    good: { usdPrice: 1.5, blockId: null, decimals: 6, priceChange24h: null, liquidity: 1 },
    zero: { usdPrice: 0 },
    negative: { usdPrice: -1 },
    textual: { usdPrice: "1.5" },
    empty: null,
    notAsked: { usdPrice: 9 },
  });
  const mints = ["good", "zero", "negative", "textual", "empty", "absent", "toString"];
  expect(await createClient().readPrices(mints)).toEqual({ good: { usd: 1.5 } });
  expect(server.requests[0]).toMatchObject({ method: "GET", path: "/price/v3" });
  expect(server.requests[0]!.query.get("ids")).toBe(mints.join(","));
});

test("prices are served while builds hang", async () => {
  const [hangUntilTimeout, answerPrices] = [createTimeoutStage(), answerJson({ [BTC]: { usdPrice: 100_000 } })];
  server.stage = (call, response) => (call.path === "/price/v3" ? answerPrices : hangUntilTimeout)(call, response);
  const jupiter = createClient();
  expect((await catchAppError(jupiter.planSwap(request))).code).toBe("upstream_timeout");
  const refusal = { code: "upstream_unavailable", details: { retryAfterSeconds: 3 } };
  expect(await catchAppError(jupiter.planSwap(request))).toMatchObject(refusal);
  expect(await jupiter.readPrices([BTC])).toEqual({ [BTC]: { usd: 100_000 } });
  expect(server.requests.map(({ path }) => path)).toEqual(["/swap/v2/build", "/price/v3"]);
});
