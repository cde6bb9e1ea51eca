import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { ASSETS, type AssetSymbol } from "../../../lib/domain/assets";
import { verifySwaps } from "../../../lib/sdk/verify/swap";
import { buildSwap } from "../../../lib/services/build-swap";
import { buildSetComputeUnitPrice } from "../../../lib/solana/compute-budget";
import { callService } from "../../support/client/contract-input";
import {
  createFakeDeps,
  createSimulation,
  createSolAccount,
  createSwapPlan,
  type FakeDeps,
  halveOutput,
  listCalls,
  PRICES_USD,
  setPrices,
} from "../../support/fakes/fake-deps";
import { stageTokenAccount } from "../../support/fakes/fake-simulation";
import { EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const wallet = toTestWallet("service wallet").address;
const BASE_FEE_LAMPORTS = 5_000n;
const MAX_FEE_LAMPORTS = 105_000n;
/** Lamports that cover every cost of five swaps. */
const AMPLE_LAMPORTS = 20_000_000n;

function stageHolding(usdcUnits: bigint, lamports = AMPLE_LAMPORTS): FakeDeps {
  const deps = createFakeDeps();
  if (lamports > 0n) deps.chain.accounts.set(wallet, createSolAccount(lamports));
  if (usdcUnits > 0n) stageTokenAccount(deps.chain, ASSETS.USDC.mint, wallet, usdcUnits);
  return deps;
}

const requestSwap = (deps: FakeDeps, fields: object = {}) =>
  callService(buildSwapContract, buildSwap, deps, { serviceWalletPubkey: wallet, payWith: "USDC", ...fields });

test("all USDC buys the allocation, divided without a remainder, and the client verifies it in the bytes", async () => {
  const anyCase = fc.record({
    units: fc.bigInt({ min: 10_000n, max: 10n ** 12n }),
    assets: fc.shuffledSubarray(["BTC", "ETH", "USDT", "SOL", "USDC"] as AssetSymbol[], { minLength: 2 }),
    firstPct: fc.integer({ min: 1, max: 60 }),
  });
  const property = fc.asyncProperty(anyCase, async ({ units, assets, firstPct }) => {
    const restPct = Math.floor((100 - firstPct) / (assets.length - 1));
    const lastPct = 100 - firstPct - restPct * (assets.length - 2);
    const allocations = assets.map((asset, i) => ({
      asset,
      pct: i === 0 ? firstPct : i === assets.length - 1 ? lastPct : restPct,
    }));
    const build = await requestSwap(stageHolding(units), { allocations, threshold: 0.01 });
    const amounts = { balanceAmount: String(units), swappableAmount: String(units), swappableLamports: 0 };
    expect(build).toMatchObject({ ready: true, reason: null, payWith: "USDC", neededAmount: "0", ...amounts });
    const shares = allocations.map(({ pct }) => (units * BigInt(pct)) / 100n);
    shares[0]! += units - shares.reduce((sum, share) => sum + share);
    const expectedSwaps = allocations.map(({ asset }, i) => {
      const input = { inputLamports: 0, inputMint: ASSETS.USDC.mint, inputAmount: String(shares[i]) };
      return { asset, ...input, quote: { ...input, inputSol: 0, inputDecimals: 6 } };
    });
    const boughtSwaps = expectedSwaps.filter(({ asset }) => asset !== "USDC");
    expect(build.transactions).toMatchObject(boughtSwaps);
    const request = { network: "sandbox", wallet, payWith: "USDC", allocations, slippageBps: 100 } as const;
    const figures = boughtSwaps.map(({ asset, inputAmount }) => ({ asset, inputAmount: BigInt(inputAmount) }));
    expect(verifySwaps(build, { ...request, prices: PRICES_USD })).toMatchObject(figures);
  });
  await fc.assert(property, { numRuns: 60 });
});

test("the threshold is compared with the USDC alone, at one dollar each, and reached at exactly its amount", async () => {
  const missing = { ready: false, neededAmount: "1", remaining: 0.000001, neededLamports: 0, neededUsd: 0 };
  const answer = await requestSwap(stageHolding(4_999_999n, 10n ** 10n));
  expect(answer).toMatchObject({ ...missing, balanceUsd: 4.999999, transactions: [] });
  expect(answer.reason).toContain("0.01 USD are missing");
  const deps = stageHolding(5_000_000n);
  setPrices(deps, { usd: { ...PRICES_USD, USDC: 0.995 } });
  expect(await requestSwap(deps)).toMatchObject({ ready: true, balanceUsd: 5, remaining: 0 });
});

test("a wallet without USDC gets the reason without requesting a plan", async () => {
  const deps = stageHolding(0n);
  expect(await requestSwap(deps)).toMatchObject({ ready: false, neededAmount: "5000000", swappableAmount: "0" });
  expect(listCalls(deps)).not.toContain("swaps.planSwap");
});

test.each([
  ["BTC", TOKEN_RENT_LAMPORTS, EMPTY_RENT_LAMPORTS],
  // The temporary account's rent returns before the wallet's own rent is checked.
  ["SOL", 0n, TOKEN_RENT_LAMPORTS],
] as const)(
  "buying %s with USDC needs SOL only for the fee and rent, to the lamport",
  async (targetAsset, deposit, reserve) => {
    const requiredLamports = BASE_FEE_LAMPORTS + deposit + reserve;
    const buyWith = (lamports: bigint) => requestSwap(stageHolding(6_000_000n, lamports), { targetAsset });
    expect(await buyWith(requiredLamports)).toMatchObject({
      ready: true,
      costs: {
        networkFeeLamports: Number(BASE_FEE_LAMPORTS),
        tokenAccountDepositLamports: Number(deposit),
        reserveLamports: Number(reserve),
      },
    });
    const refusal = await buyWith(requiredLamports - 1n);
    // The stated lack includes the highest fee instead of the usual one, so that adding it suffices.
    const neededLamports = Number(1n + MAX_FEE_LAMPORTS - BASE_FEE_LAMPORTS);
    expect(refusal).toMatchObject({ ready: false, neededLamports, neededUsd: 0.015, neededAmount: "0" });
    expect(refusal.reason).toMatch(/^SOL worth 0.02 USD is missing/);
  },
);

test("the missing SOL of a wallet that cannot pay even without a fee includes the highest fee", async () => {
  const missingLamports = TOKEN_RENT_LAMPORTS + EMPTY_RENT_LAMPORTS + MAX_FEE_LAMPORTS;
  const deps = stageHolding(6_000_000n, 0n);
  const answer = await requestSwap(deps);
  const neededUsd = Number(missingLamports * 150n) / 1e9;
  expect(answer).toMatchObject({ ready: false, neededLamports: Number(missingLamports), remaining: 0 });
  expect(answer.neededUsd).toBeCloseTo(neededUsd, 5);
  expect(answer.reason).toContain(`${(Math.ceil(neededUsd * 100) / 100).toFixed(2)} USD`);
  expect(listCalls(deps)).not.toContain("swaps.planSwap");
  deps.chain.accounts.set(wallet, createSolAccount(missingLamports));
  expect(await requestSwap(deps)).toMatchObject({ ready: true });
});

test("the missing SOL includes the priority fee of the built swap", async () => {
  const deps = stageHolding(6_000_000n, BASE_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + EMPTY_RENT_LAMPORTS);
  deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(1_000_000n)]);
  deps.chain.simulate = createSimulation(null, 10_000);
  expect(await requestSwap(deps)).toMatchObject({ ready: false, neededLamports: 3_050, transactions: [] });
});

test.each([
  ["the first source", { usd: { ...PRICES_USD, USDC: 0.989 } }],
  ["the second source", { referenceUsd: { USDC: 1.011 } }],
])("nothing is built with USDC that is not worth a dollar in %s, and SOL still buys", async (_caseName, changes) => {
  const deps = stageHolding(6_000_000n, 10n ** 10n);
  setPrices(deps, changes);
  const message = expect.stringContaining("USDC is not worth one dollar");
  await expect(requestSwap(deps)).rejects.toMatchObject({ code: "service_not_ready", message });
  expect(listCalls(deps)).not.toContain("swaps.planSwap");
  expect(await requestSwap(deps, { payWith: "SOL" })).toMatchObject({ ready: true, payWith: "SOL" });
});

test("without payWith, USDC in the wallet is neither counted nor swapped", async () => {
  const deps = stageHolding(500_000_000n, 10_000_000n);
  const answer = await requestSwap(deps, { payWith: undefined });
  expect(answer).toMatchObject({ ready: false, payWith: "SOL", balanceUsd: 1.5, remaining: 3.5 });
});

test("an allocation that keeps all USDC has nothing to swap", async () => {
  const allocations = [{ asset: "USDC", pct: 100 }];
  const answer = await requestSwap(stageHolding(6_000_000n), { allocations });
  expect(answer).toMatchObject({ ready: false, neededAmount: "0", neededLamports: 0, neededUsd: 0 });
  expect(answer.reason).toContain("keeps USDC");
});

test("USDC is not sold at a loss", async () => {
  const deps = stageHolding(6_000_000n);
  deps.planSwap = (request) => halveOutput(createSwapPlan(request));
  const answer = await requestSwap(deps);
  expect(answer).toMatchObject({ ready: false, reason: expect.stringContaining("less BTC"), transactions: [] });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
});

test("a frozen USDC account, as every swap that fails in its simulation, is refused with the reason", async () => {
  const deps = stageHolding(6_000_000n);
  deps.chain.simulate = createSimulation({ InstructionError: [2, { Custom: 17 }] });
  await expect(requestSwap(deps)).rejects.toMatchObject({ code: "simulation_failed" });
});
