import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import type { DataOf } from "../../../lib/contracts/define";
import { ASSETS, SALE_TARGETS, TRADED_ASSETS } from "../../../lib/domain/assets";
import type { SwapRequest } from "../../../lib/domain/swap/swap-plan";
import { verifySale } from "../../../lib/sdk/verify/sale";
import { buildSale } from "../../../lib/services/build-sale";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../../lib/solana/compute-budget";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { parseInput } from "../../support/client/contract-input";
import {
  buildUnitPrice,
  createSwapPlan,
  type FakeDeps,
  FEE_COLLECTORS,
  fakeDeps,
  listCalls,
  PRICES_USD,
  pricesAt,
  recordRounds,
  solAccount,
} from "../../support/fakes/fake-deps";
import { createTokenAccount } from "../../support/fakes/fake-simulation";
import { testWallet } from "../../support/fixtures/test-wallets";

const EMPTY_RENT = 650_240n;
const TOKEN_RENT = 1_488_440n;
const BASE_FEE = 5_000n;
const wallet = testWallet("service wallet").address;
const BTC_BALANCE = 12_345n;

/** Stages a wallet that holds BTC beside its SOL. */
function stageHolding(lamports: bigint, btc = BTC_BALANCE): FakeDeps {
  const deps = fakeDeps();
  deps.chain.accounts.set(wallet, solAccount(lamports));
  const { mint } = ASSETS.BTC;
  deps.chain.accounts.set(
    deriveAssociatedTokenAddress(wallet, mint),
    createTokenAccount(mint, wallet, btc, TOKEN_RENT),
  );
  return deps;
}

async function sell(deps: FakeDeps, query: object = {}): Promise<DataOf<typeof buildSaleContract>> {
  const fields = { serviceWalletPubkey: wallet, asset: "BTC", into: "SOL", ...query };
  const input = parseInput(buildSaleContract, "amount" in fields ? fields : { ...fields, all: true });
  return buildSaleContract.data.parse(await buildSale(deps, input));
}

/** Lamports that cover every cost of a sale. */
const AMPLE_LAMPORTS = 10_000_000n;

test("every asset sells in full into SOL and USDC for amounts that the client verifies in the bytes", async () => {
  for (const into of SALE_TARGETS) {
    for (const asset of TRADED_ASSETS.filter((symbol) => symbol !== into)) {
      const deps = stageHolding(AMPLE_LAMPORTS);
      const { mint } = ASSETS[asset];
      deps.chain.accounts.set(
        deriveAssociatedTokenAddress(wallet, mint),
        createTokenAccount(mint, wallet, BTC_BALANCE, TOKEN_RENT),
      );
      const answer = await sell(deps, { asset, into });
      expect(answer).toMatchObject({
        ready: true,
        reason: null,
        neededLamports: 0,
        balanceAmount: String(BTC_BALANCE),
      });
      const terms = { network: "sandbox", wallet, asset, into, amountBaseUnits: null, slippageBps: 100 } as const;
      expect(verifySale(answer, { ...terms, prices: PRICES_USD })).toMatchObject({ inputAmount: BTC_BALANCE });
      expect(answer.transactions[0]!.quote).toMatchObject({ inputMint: mint, targetAsset: into, warning: null });
    }
  }
});

test("a sale of an amount requests a plan for exactly this amount, wallet and pair of mints", async () => {
  const deps = stageHolding(AMPLE_LAMPORTS);
  const requests: SwapRequest[] = [];
  deps.plan = (request) => {
    requests.push(request);
    return createSwapPlan(request);
  };
  const { transactions } = await sell(deps, { amount: "345", slippageBps: 250 });
  const mints = { inputMint: ASSETS.BTC.mint, outputMint: ASSETS.SOL.mint };
  expect(requests).toEqual([{ ...mints, amount: 345n, slippageBps: 250, taker: wallet }]);
  expect(transactions).toMatchObject([{ inputAmount: "345", quote: { inputAmount: "345", slippageBps: 250 } }]);
});

test("the costs include the deposit of a USDC account only if the account is missing", async () => {
  const deps = stageHolding(AMPLE_LAMPORTS);
  const { mint } = ASSETS.USDC;
  expect((await sell(deps, { into: "USDC" })).costs.tokenAccountDepositLamports).toBe(Number(TOKEN_RENT));
  deps.chain.accounts.set(deriveAssociatedTokenAddress(wallet, mint), createTokenAccount(mint, wallet, 1n, TOKEN_RENT));
  expect((await sell(deps, { into: "USDC" })).costs.tokenAccountDepositLamports).toBe(0);
});

test("a purchase with the whole balance leaves enough SOL for a later sale, at any unit price", async () => {
  const price = fc.bigInt({ min: 0n, max: 100_000n });
  const property = fc.asyncProperty(price, fc.constantFrom(...SALE_TARGETS), async (microLamports, into) => {
    const units = 30_000n;
    const spent = (microLamports * ((units * 120n) / 100n) + 999_999n) / 1_000_000n;
    const remaining = EMPTY_RENT + TOKEN_RENT + MAX_PRIORITY_FEE_LAMPORTS - spent;
    const deps = stageHolding(remaining);
    deps.plan = (request) => createSwapPlan(request, [buildUnitPrice(microLamports)]);
    deps.chain.simulation = () => ({ error: null, logs: [], unitsConsumed: Number(units) });
    expect(await sell(deps, { into })).toMatchObject({ ready: true });
  });
  await fc.assert(property, { numRuns: 50 });
});

test("a sale is never paused", async () => {
  const deps = stageHolding(AMPLE_LAMPORTS);
  deps.pause = { parts: ["save", "invest"], reason: null };
  expect(await sell(deps)).toMatchObject({ ready: true });
});

test.each<[string, bigint, object, RegExp]>([
  ["holds no BTC", 0n, {}, /holds no BTC/],
  ["holds less than the amount", BTC_BALANCE, { amount: String(BTC_BALANCE + 1n) }, /holds only 0\.00012345 BTC/],
])("a wallet that %s gets the reason without requesting a plan", async (_what, btc, fields, reason) => {
  const deps = stageHolding(AMPLE_LAMPORTS, btc);
  const answer = await sell(deps, fields);
  expect(answer).toMatchObject({ ready: false, reason: expect.stringMatching(reason), transactions: [] });
  expect(listCalls(deps)).not.toContain("swaps.planSwap");
});

test.each([
  ["SOL", BASE_FEE + TOKEN_RENT],
  ["USDC", BASE_FEE + TOKEN_RENT + EMPTY_RENT],
] as const)(
  "a sale into %s with too little SOL returns the missing lamports exactly, and never as 0 dollars",
  async (into, leastLamports) => {
    const refusal = await sell(stageHolding(leastLamports - 7n), { into });
    expect(refusal).toMatchObject({ ready: false, neededLamports: 7, neededUsd: 0.000001, transactions: [] });
    expect(await sell(stageHolding(leastLamports - 1n), { into })).toMatchObject({
      neededLamports: 1,
      neededUsd: 0.000001,
    });
    expect(refusal.reason).toContain("lacks 0.000000007 SOL");
    expect(await sell(stageHolding(leastLamports), { into })).toMatchObject({
      ready: true,
      neededLamports: 0,
      neededUsd: 0,
    });
  },
);

test("the missing SOL includes the real network fee", async () => {
  const deps = stageHolding(BASE_FEE + TOKEN_RENT);
  deps.plan = (request) => createSwapPlan(request, [buildUnitPrice(1_000_000n)]);
  deps.chain.simulation = () => ({ error: null, logs: [], unitsConsumed: 10_000 });
  expect(await sell(deps)).toMatchObject({ ready: false, neededLamports: 3_000, transactions: [] });
});

test("a sale for half of what the price promises is neither built nor simulated", async () => {
  const deps = stageHolding(AMPLE_LAMPORTS);
  deps.plan = (request) => {
    const fairPlan = createSwapPlan(request);
    const outputAmount = fairPlan.outputAmount / 2n;
    return { ...fairPlan, outputAmount, minimumOutputAmount: (outputAmount * 99n) / 100n };
  };
  const answer = await sell(deps);
  expect(answer).toMatchObject({ ready: false, reason: expect.stringContaining("less SOL"), transactions: [] });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
});

test("a stale or doubtful price is refused", async () => {
  const staleDeps = stageHolding(AMPLE_LAMPORTS);
  await staleDeps.clock.advance(60_001);
  await expect(sell(staleDeps)).rejects.toMatchObject({ code: "price_stale" });
  for (const asset of ["BTC", "USDC"]) {
    const deps = stageHolding(AMPLE_LAMPORTS);
    deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { [asset]: "jumped" } });
    const pending = sell(deps, { into: "USDC" });
    await expect(pending).rejects.toMatchObject({ code: "price_stale", message: expect.stringContaining(asset) });
  }
});

test("a fee collector is refused before any upstream call", async () => {
  const deps = fakeDeps();
  const request = { serviceWalletPubkey: FEE_COLLECTORS[0] };
  await expect(sell(deps, request)).rejects.toMatchObject({ code: "wallet_not_allowed" });
  expect(deps.calls).toEqual([]);
});

test("a sale takes three rounds: reads, the plan and the simulation", async () => {
  const deps = stageHolding(AMPLE_LAMPORTS);
  expect(await recordRounds(deps, () => sell(deps))).toEqual([
    ["prices.readCurrent", "rpc.readAccounts", "rpc.readRentExemptMinimum", "rpc.readRentExemptMinimum"],
    ["swaps.planSwap"],
    ["rpc.readAccounts", "rpc.readLatestBlockhash", "rpc.simulate"],
  ]);
});
