import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { ASSETS, SALE_TARGETS, TRADED_ASSETS } from "../../../lib/domain/assets";
import { verifySale } from "../../../lib/sdk/verify/swap";
import { buildSale } from "../../../lib/services/build-sale";
import { toBase64 } from "../../../lib/solana/bytes";
import { buildSetComputeUnitPrice, MAX_PRIORITY_FEE_LAMPORTS } from "../../../lib/solana/compute-budget";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { callService } from "../../support/client/contract-input";
import {
  createFakeDeps,
  createSimulation,
  createSolAccount,
  createSwapPlan,
  type FakeDeps,
  FEE_COLLECTORS,
  halveOutput,
  listCalls,
  PRICES_USD,
  setPrices,
} from "../../support/fakes/fake-deps";
import { stageTokenAccount } from "../../support/fakes/fake-simulation";
import { EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const BASE_FEE_LAMPORTS = 5_000n;
const wallet = toTestWallet("service wallet").address;
const TOKEN_BALANCE = 12_345n;

/** Lamports that cover every cost of a sale. */
const AMPLE_LAMPORTS = 10_000_000n;

/** Stages a wallet that holds BTC beside its SOL. */
function stageHolding(lamports = AMPLE_LAMPORTS, btcAmount = TOKEN_BALANCE): FakeDeps {
  const deps = createFakeDeps();
  deps.chain.accounts.set(wallet, createSolAccount(lamports));
  stageTokenAccount(deps.chain, ASSETS.BTC.mint, wallet, btcAmount);
  return deps;
}

/** Sells all BTC for SOL, with these request fields. An amount replaces "all". */
const requestSale = (deps: FakeDeps, fields: object = {}) =>
  callService(buildSaleContract, buildSale, deps, {
    serviceWalletPubkey: wallet,
    asset: "BTC",
    into: "SOL",
    ...("amount" in fields ? {} : { all: true }),
    ...fields,
  });

test("every asset sells in full into SOL and USDC for amounts that the client verifies in the bytes", async () => {
  for (const into of SALE_TARGETS) {
    for (const asset of TRADED_ASSETS.filter((symbol) => symbol !== into)) {
      const deps = stageHolding();
      const { mint } = ASSETS[asset];
      stageTokenAccount(deps.chain, mint, wallet, TOKEN_BALANCE);
      const answer = await requestSale(deps, { asset, into });
      const balanceAmount = String(TOKEN_BALANCE);
      expect(answer).toMatchObject({ ready: true, reason: null, neededLamports: 0, balanceAmount });
      const terms = { network: "sandbox", wallet, asset, into, amountBaseUnits: null, slippageBps: 100 } as const;
      expect(verifySale(answer, { ...terms, prices: PRICES_USD })).toMatchObject({ inputAmount: TOKEN_BALANCE });
      expect(answer.transactions[0]!.quote).toMatchObject({ inputMint: mint, targetAsset: into, warning: null });
    }
  }
});

test("the costs include the deposit of a USDC account only if the account is missing", async () => {
  const deps = stageHolding();
  const readDeposit = async () => (await requestSale(deps, { into: "USDC" })).costs.tokenAccountDepositLamports;
  expect(await readDeposit()).toBe(Number(TOKEN_RENT_LAMPORTS));
  stageTokenAccount(deps.chain, ASSETS.USDC.mint, wallet, 1n);
  expect(await readDeposit()).toBe(0);
});

test("a wallet with only the SOL that a full investment leaves can still sell, at any unit price", async () => {
  const anyUnitPrice = fc.bigInt({ min: 0n, max: 100_000n });
  const property = fc.asyncProperty(anyUnitPrice, fc.constantFrom(...SALE_TARGETS), async (unitPrice, into) => {
    const usedUnits = 30_000n;
    const spentFeeLamports = (unitPrice * ((usedUnits * 120n) / 100n) + 999_999n) / 1_000_000n;
    const remainingLamports = EMPTY_RENT_LAMPORTS + TOKEN_RENT_LAMPORTS + MAX_PRIORITY_FEE_LAMPORTS - spentFeeLamports;
    const deps = stageHolding(remainingLamports);
    deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(unitPrice)]);
    deps.chain.simulate = createSimulation(null, Number(usedUnits));
    expect(await requestSale(deps, { into })).toMatchObject({ ready: true });
  });
  await fc.assert(property, { numRuns: 50 });
});

test.each<[string, bigint, object, RegExp]>([
  ["holds no BTC", 0n, {}, /holds no BTC/],
  ["holds less than the amount", TOKEN_BALANCE, { amount: String(TOKEN_BALANCE + 1n) }, /holds only 0\.00012345 BTC/],
])("a wallet that %s gets the reason without requesting a plan", async (_caseName, btcAmount, fields, reason) => {
  const deps = stageHolding(AMPLE_LAMPORTS, btcAmount);
  const answer = await requestSale(deps, fields);
  expect(answer).toMatchObject({ ready: false, reason: expect.stringMatching(reason), transactions: [] });
  expect(listCalls(deps)).not.toContain("swaps.planSwap");
});

test.each([
  ["SOL", BASE_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS],
  ["USDC", BASE_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + EMPTY_RENT_LAMPORTS],
] as const)(
  "a sale into %s with too little SOL returns the exact missing lamports and more than 0 dollars",
  async (into, requiredLamports) => {
    const sellWith = (lamports: bigint) => requestSale(stageHolding(lamports), { into });
    const refusal = await sellWith(requiredLamports - 7n);
    expect(refusal).toMatchObject({ ready: false, neededLamports: 7, neededUsd: 0.000001, transactions: [] });
    expect(refusal.reason).toContain("lacks 0.000000007 SOL");
    expect(await sellWith(requiredLamports - 1n)).toMatchObject({ neededLamports: 1, neededUsd: 0.000001 });
    expect(await sellWith(requiredLamports)).toMatchObject({ ready: true, neededLamports: 0, neededUsd: 0 });
  },
);

test("a sale is built although the wallet cannot pay for all units of the first draft", async () => {
  const deps = stageHolding();
  const limits: number[] = [];
  deps.chain.simulate = (bytes) => {
    const { unitLimit } = readTransaction(toBase64(bytes));
    limits.push(unitLimit);
    return createSimulation(unitLimit > 100_000 ? "InsufficientFundsForFee" : null, 30_000)();
  };
  expect(await requestSale(deps)).toMatchObject({ ready: true });
  expect(limits).toEqual([400_000, 100_000]);
});

test("the missing SOL includes the real network fee", async () => {
  const deps = stageHolding(BASE_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS);
  deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(1_000_000n)]);
  deps.chain.simulate = createSimulation(null, 10_000);
  expect(await requestSale(deps)).toMatchObject({ ready: false, neededLamports: 3_050, transactions: [] });
});

test("a sale for half of what the price promises is neither built nor simulated", async () => {
  const deps = stageHolding();
  deps.planSwap = (request) => halveOutput(createSwapPlan(request));
  const answer = await requestSale(deps);
  expect(answer).toMatchObject({ ready: false, reason: expect.stringContaining("less SOL"), transactions: [] });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
});

test("a stale or doubtful price is refused", async () => {
  const staleDeps = stageHolding();
  await staleDeps.clock.advance(60_001);
  await expect(requestSale(staleDeps)).rejects.toMatchObject({ code: "price_stale" });
  for (const asset of ["BTC", "USDC"]) {
    const deps = stageHolding();
    setPrices(deps, { doubts: { [asset]: "jumped" } });
    const pendingSale = requestSale(deps, { into: "USDC" });
    await expect(pendingSale).rejects.toMatchObject({ code: "price_stale", message: expect.stringContaining(asset) });
  }
});

test("a fee collector as service wallet is refused before any upstream call", async () => {
  const deps = createFakeDeps();
  const request = { serviceWalletPubkey: FEE_COLLECTORS[0] };
  await expect(requestSale(deps, request)).rejects.toMatchObject({ code: "wallet_not_allowed" });
  expect(deps.calls).toEqual([]);
});
