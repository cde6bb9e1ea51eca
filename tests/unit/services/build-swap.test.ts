import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import type { DataOf } from "../../../lib/contracts/define";
import { ASSETS, type AssetSymbol } from "../../../lib/domain/assets";
import type { SwapRequest } from "../../../lib/domain/swap/swap-plan";
import { verifySwaps } from "../../../lib/sdk/verify/swap";
import { buildSwap } from "../../../lib/services/build-swap";
import { toBase64 } from "../../../lib/solana/bytes";
import {
  buildSetComputeUnitPrice,
  MAX_COMPUTE_UNITS,
  MAX_PRIORITY_FEE_LAMPORTS,
  readUnitLimit,
  readUnitPrice,
} from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { callService } from "../../support/client/contract-input";
import {
  createFakeDeps,
  createSimulation,
  createSolAccount,
  createSwapPlan,
  type FakeDeps,
  FEE_COLLECTORS,
  halveOutput,
  listArguments,
  listCalls,
  PRICES_USD,
  setPrices,
} from "../../support/fakes/fake-deps";
import { stageTokenAccount } from "../../support/fakes/fake-simulation";
import { EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { toTestWallet } from "../../support/fixtures/test-wallets";

type Build = DataOf<typeof buildSwapContract>;

const ONE_SOL_LAMPORTS = 1_000_000_000n;
const serviceWallet = toTestWallet("service wallet");
const BOUGHT_ASSETS = ["BTC", "ETH", "USDC", "USDT"] as const;

function stageHolding(lamports: bigint, ...openedAssets: AssetSymbol[]): FakeDeps {
  const deps = createFakeDeps();
  if (lamports > 0n) deps.chain.accounts.set(serviceWallet.address, createSolAccount(lamports));
  for (const asset of openedAssets) stageTokenAccount(deps.chain, ASSETS[asset].mint, serviceWallet.address, 7n);
  return deps;
}

let deps: FakeDeps;
beforeEach(() => {
  deps = stageHolding(ONE_SOL_LAMPORTS);
});

const requestSwap = (deps: FakeDeps, fields: object = {}) =>
  callService(buildSwapContract, buildSwap, deps, { serviceWalletPubkey: serviceWallet.address, ...fields });

const splitEvenly = (assets: readonly AssetSymbol[]) => assets.map((asset) => ({ asset, pct: 100 / assets.length }));

const sumPartsLamports = ({ swappableLamports, costs }: Build) =>
  swappableLamports + costs.networkFeeLamports + costs.tokenAccountDepositLamports + costs.reserveLamports;

/** Reads the unit limits and unit prices that a transaction sets in the compute-budget program. */
function readBudget(transaction: string) {
  const { instructions } = readTransaction(transaction);
  return {
    unitLimits: instructions.flatMap((instruction) => readUnitLimit(instruction) ?? []),
    unitPrices: instructions.flatMap((instruction) => readUnitPrice(instruction) ?? []),
  };
}

test("a build whose costs would use up the balance returns the costs", async () => {
  const costs = EMPTY_RENT_LAMPORTS + TOKEN_RENT_LAMPORTS + TOKEN_RENT_LAMPORTS + 105_000n;
  const answer = await requestSwap(stageHolding(costs), { threshold: 0.01 });
  expect(answer).toMatchObject({ ready: false, remaining: 0, swappableLamports: 0, transactions: [] });
  expect(answer.reason).toMatch(/fees would use up the balance; 0.01 USD are missing/);
  expect(BigInt(sumPartsLamports(answer))).toBe(costs);
  const richerAnswer = await requestSwap(stageHolding(costs + 1n), { threshold: 0.01 });
  expect(richerAnswer).toMatchObject({ ready: true, swappableLamports: 1 });
});

test("the returned missing amount is exactly enough for a swap", async () => {
  const anyCase = fc.record({
    balanceLamports: fc.bigInt({ min: 0n, max: 8_000_000n }),
    threshold: fc.constantFrom(0.000001, 0.01, 0.7, 5),
    pct: fc.constantFrom(0.000001, 1, 50, 99.5, 100),
    isSolFirst: fc.boolean(),
    solUsd: fc.constantFrom(11, 150, 150.333333),
  });
  const property = fc.asyncProperty(anyCase, async ({ balanceLamports, threshold, pct, isSolFirst, solUsd }) => {
    const parts = [
      { asset: "BTC", pct },
      { asset: "SOL", pct: Math.round((100 - pct) * 1e6) / 1e6 },
    ];
    const allocations = pct === 100 ? parts.slice(0, 1) : isSolFirst ? parts.reverse() : parts;
    const buildAt = (lamports: bigint) => {
      const deps = stageHolding(lamports);
      setPrices(deps, { usd: { ...PRICES_USD, SOL: solUsd } });
      deps.planSwap = (request) => createSwapPlan(request, [], solUsd);
      return requestSwap(deps, { allocations, threshold });
    };
    const { ready, neededLamports, neededUsd, reason } = await buildAt(balanceLamports);
    expect(ready).toBe(neededLamports === 0);
    const neededWorthUsd = Math.floor((neededLamports * solUsd) / 1e3 + 1e-6) / 1e6;
    expect(neededUsd).toBe(neededLamports === 0 ? 0 : neededWorthUsd || 0.000001);
    if (ready) return;
    expect(reason).toContain(`${(Math.ceil(neededUsd * 100 - 1e-9) / 100).toFixed(2)} USD are missing`);
    expect(await buildAt(balanceLamports + BigInt(neededLamports))).toMatchObject({ ready: true, neededLamports: 0 });
    expect(await buildAt(balanceLamports + BigInt(neededLamports) - 1n)).toMatchObject({
      ready: false,
      neededLamports: 1,
    });
  });
  await fc.assert(property, { numRuns: 150 });
});

test("a swap for half the output that the price promises is neither built nor simulated", async () => {
  deps.planSwap = (request) => {
    const fairPlan = createSwapPlan(request);
    return request.outputMint === ASSETS.ETH.mint ? halveOutput(fairPlan) : fairPlan;
  };
  expect(await requestSwap(deps, { targetAsset: "BTC" })).toMatchObject({ ready: true });
  deps.calls.length = 0;
  const answer = await requestSwap(deps, { allocations: splitEvenly(["BTC", "ETH"]) });
  expect(answer).toMatchObject({ ready: false, reason: expect.stringContaining("less ETH"), transactions: [] });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
});

test("a fee collector as service wallet is refused before any port is called", async () => {
  const deps = createFakeDeps();
  const request = { serviceWalletPubkey: FEE_COLLECTORS[0] };
  await expect(requestSwap(deps, request)).rejects.toMatchObject({ code: "wallet_not_allowed" });
  expect(deps.calls).toEqual([]);
});

test("lamports at the address of an unopened token account only reduce its deposit", async () => {
  const tokenAccount = deriveAssociatedTokenAddress(serviceWallet.address, ASSETS.BTC.mint);
  for (const [sentLamports, expectedDeposit] of [
    [EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS - EMPTY_RENT_LAMPORTS],
    [TOKEN_RENT_LAMPORTS + 1n, 0n],
  ] as const) {
    deps.chain.accounts.set(tokenAccount, createSolAccount(sentLamports));
    const answer = await requestSwap(deps);
    expect(BigInt(answer.costs.tokenAccountDepositLamports)).toBe(expectedDeposit);
    expect(BigInt(sumPartsLamports(answer))).toBe(ONE_SOL_LAMPORTS);
  }
});

const anyAllocations = fc
  .record({
    assets: fc.shuffledSubarray([...BOUGHT_ASSETS, "SOL"] as AssetSymbol[], { minLength: 1 }),
    cuts: fc.array(fc.integer({ min: 1, max: 9_999 }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ assets, cuts }) => {
    const cutPoints = [...new Set(cuts.slice(0, assets.length - 1))].sort((a, b) => a - b);
    const edges = [0, ...cutPoints, 10_000];
    return edges.slice(1).map((edge, i) => ({ asset: assets[i]!, pct: (edge - edges[i]!) / 100 }));
  });

test("shares, fee, deposits and reserve add up to the balance, and the first share gets the remainder", async () => {
  const anyCase = fc.record({
    balanceLamports: fc.bigInt({ min: 0n, max: 30_000_000n }),
    allocations: anyAllocations,
    openedAssets: fc.subarray([...BOUGHT_ASSETS] as AssetSymbol[]),
    unitPrice: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    units: fc.integer({ min: 0, max: MAX_COMPUTE_UNITS }),
  });
  const property = fc.asyncProperty(
    anyCase,
    async ({ balanceLamports, allocations, openedAssets, unitPrice, units }) => {
      const deps = stageHolding(balanceLamports, ...openedAssets);
      deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(unitPrice)]);
      deps.chain.simulate = createSimulation(null, units);
      const answer = await requestSwap(deps, { allocations, threshold: 0.01 });
      const { costs, swappableLamports, transactions } = answer;
      const boughtParts = allocations.filter(({ asset }) => asset !== "SOL");
      const missingAccounts = boughtParts.filter(({ asset }) => !openedAssets.includes(asset)).length;
      expect(BigInt(costs.tokenAccountDepositLamports)).toBe(BigInt(missingAccounts) * TOKEN_RENT_LAMPORTS);
      expect(BigInt(costs.reserveLamports)).toBeGreaterThanOrEqual(EMPTY_RENT_LAMPORTS + TOKEN_RENT_LAMPORTS);
      expect(answer.ready).toBe(answer.reason === null);
      if (!answer.ready) {
        expect(transactions).toEqual([]);
        if (boughtParts.length > 0 && swappableLamports === 0)
          expect(BigInt(sumPartsLamports(answer))).toBeGreaterThanOrEqual(balanceLamports);
        return;
      }
      expect(BigInt(sumPartsLamports(answer))).toBe(balanceLamports);
      const shares = allocations.map(({ pct }) => Math.floor((swappableLamports * Math.round(pct * 100)) / 10_000));
      shares[0]! += swappableLamports - shares.reduce((sum, share) => sum + share);
      const expectedSwaps = allocations.map(({ asset }, i) => ({ asset, inputLamports: shares[i] }));
      expect(transactions).toMatchObject(expectedSwaps.filter(({ asset }) => asset !== "SOL"));
      expect(transactions.every(({ inputLamports }) => inputLamports > 0)).toBe(true);
      expect(costs.networkFeeLamports).toBeLessThanOrEqual(
        boughtParts.length * (5_000 + Number(MAX_PRIORITY_FEE_LAMPORTS)),
      );
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

test("a build uses the chain's current rent minimums", async () => {
  deps.chain.computeRent = (bytes) => BigInt(bytes + 1_000);
  const { costs } = await requestSwap(deps);
  expect(costs.tokenAccountDepositLamports).toBe(1_165);
  expect(costs.reserveLamports).toBeGreaterThanOrEqual(1_000 + 1_165);
});

describe("the transactions of a build", () => {
  test("are limited to 1.2 times the units that their simulation used, and 200 more", async () => {
    for (const [usedUnits, limit] of [
      [100_000, 120_200],
      [101, 322],
      [1, 202],
      [0, 200],
      [1_300_000, MAX_COMPUTE_UNITS],
      [null, MAX_COMPUTE_UNITS],
    ] as const) {
      deps.chain.simulate = createSimulation(null, usedUnits);
      const { transactions } = await requestSwap(deps);
      expect(readBudget(transactions[0]!.transaction).unitLimits).toEqual([limit]);
    }
  });

  test("spend at most the promised priority fee, at any unit price of the venue and any unit use", async () => {
    const anyVenue = fc.record({
      unitPrice: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 1_000_000n })),
      usedUnits: fc.option(fc.integer({ min: 0, max: MAX_COMPUTE_UNITS })),
    });
    const property = fc.asyncProperty(anyVenue, async ({ unitPrice, usedUnits }) => {
      deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(unitPrice)]);
      deps.chain.simulate = createSimulation(null, usedUnits);
      const { transactions, costs } = await requestSwap(deps);
      const { unitLimits, unitPrices } = readBudget(transactions[0]!.transaction);
      expect([unitLimits.length, unitPrices.length]).toEqual([1, 1]);
      const microLamports = unitPrices[0]! * BigInt(unitLimits[0]!);
      const priorityFeeLamports = (microLamports + 999_999n) / 1_000_000n;
      expect(unitPrices[0]! <= unitPrice).toBe(true);
      expect(priorityFeeLamports <= MAX_PRIORITY_FEE_LAMPORTS).toBe(true);
      expect(BigInt(costs.networkFeeLamports)).toBe(5_000n + priorityFeeLamports);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  test("spend and reserve at most the priority fee of the settings", async () => {
    deps.maxPriorityFeeLamports = 30n;
    deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(1_000_000n)]);
    const answer = await requestSwap(deps);
    expect(answer.costs.networkFeeLamports).toBe(5_030);
    expect(answer.costs.reserveLamports).toBe(Number(EMPTY_RENT_LAMPORTS + TOKEN_RENT_LAMPORTS));
  });

  test("are refused with the reason if their simulation fails", async () => {
    deps.chain.simulate = createSimulation({ InstructionError: [2, { Custom: 6001 }] });
    await expect(requestSwap(deps)).rejects.toMatchObject({
      code: "simulation_failed",
      message: "The swap would fail now: instruction 2: custom program error 6001.",
    });
  });

  test("are all withheld if one would fail", async () => {
    let simulationCount = 0;
    deps.chain.simulate = () => createSimulation(++simulationCount >= 2 ? "AccountNotFound" : null)();
    const pending = requestSwap(deps, { allocations: splitEvenly(["BTC", "ETH"]) });
    await expect(pending).rejects.toMatchObject({ code: "simulation_failed" });
  });

  const oversizedInstruction: InstructionLike = {
    ...buildSetComputeUnitPrice(0n),
    programId: TOKEN_PROGRAM,
    data: toBase64(new Uint8Array(1_300)),
  };
  test.each<[string, InstructionLike]>([
    ["that does not fit a transaction", oversizedInstruction],
    ["whose data is not base64", { ...oversizedInstruction, data: "*" }],
    ["whose program address is not base58", { ...oversizedInstruction, programId: "0OIl" }],
  ])("are refused as upstream_invalid for a plan %s", async (_caseName, instruction) => {
    deps.planSwap = (request) => createSwapPlan(request, [instruction]);
    await expect(requestSwap(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
    expect(listCalls(deps)).not.toContain("rpc.simulate");
  });

  test.each([
    [64, [undefined]],
    [40, [undefined, 40]],
    [26, [undefined, 40, 26]],
  ])(
    "use a route with fewer accounts if the first is too large (at most %i accounts fit)",
    async (maxFitting, requestedLimits) => {
      deps.planSwap = (request) =>
        createSwapPlan(request, (request.maxAccounts ?? 64) > maxFitting ? [oversizedInstruction] : []);
      const [swap] = (await requestSwap(deps)).transactions;
      const requests = listArguments(deps, "planSwap").map(([request]) => request as SwapRequest);
      expect(requests.map(({ maxAccounts }) => maxAccounts)).toEqual(requestedLimits);
      for (const { maxAccounts: _, ...request } of requests) expect(requests[0]).toEqual(request);
      expect(swap!.inputLamports).toBe(Number(requests[0]!.amount));
    },
  );

  test("are verified even when they use a smaller route", async () => {
    deps.planSwap = (request) =>
      request.maxAccounts
        ? createSwapPlan(request, [buildSystemTransfer(serviceWallet.address, toTestWallet("stranger").address, 1n)])
        : createSwapPlan(request, [oversizedInstruction]);
    await expect(requestSwap(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
    deps.planSwap = (request) => {
      const plan = createSwapPlan(request, request.maxAccounts ? [] : [oversizedInstruction]);
      return request.maxAccounts ? { ...plan, outputAmount: 1n, minimumOutputAmount: 1n } : plan;
    };
    expect(await requestSwap(deps)).toMatchObject({ ready: false, reason: expect.stringContaining("offers less") });
  });
});

describe("with USDC", () => {
  const BASE_FEE_LAMPORTS = 5_000n;
  const MAX_FEE_LAMPORTS = 105_000n;
  /** Lamports that cover every cost of five swaps. */
  const AMPLE_LAMPORTS = 20_000_000n;
  const wallet = serviceWallet.address;

  function stageUsdc(usdcUnits: bigint, lamports = AMPLE_LAMPORTS): FakeDeps {
    const deps = stageHolding(lamports);
    if (usdcUnits > 0n) stageTokenAccount(deps.chain, ASSETS.USDC.mint, wallet, usdcUnits);
    return deps;
  }

  const requestUsdcSwap = (deps: FakeDeps, fields: object = {}) => requestSwap(deps, { payWith: "USDC", ...fields });

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
      const build = await requestUsdcSwap(stageUsdc(units), { allocations, threshold: 0.01 });
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
    const answer = await requestUsdcSwap(stageUsdc(4_999_999n, 10n ** 10n));
    expect(answer).toMatchObject({ ...missing, balanceUsd: 4.999999, transactions: [] });
    expect(answer.reason).toContain("0.01 USD are missing");
    const deps = stageUsdc(5_000_000n);
    setPrices(deps, { usd: { ...PRICES_USD, USDC: 0.995 } });
    expect(await requestUsdcSwap(deps)).toMatchObject({ ready: true, balanceUsd: 5, remaining: 0 });
  });

  test("a wallet without USDC gets the reason without requesting a plan", async () => {
    const deps = stageUsdc(0n);
    expect(await requestUsdcSwap(deps)).toMatchObject({ ready: false, neededAmount: "5000000", swappableAmount: "0" });
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
      const buyWith = (lamports: bigint) => requestUsdcSwap(stageUsdc(6_000_000n, lamports), { targetAsset });
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
    const deps = stageUsdc(6_000_000n, 0n);
    const answer = await requestUsdcSwap(deps);
    const neededUsd = Number(missingLamports * 150n) / 1e9;
    expect(answer).toMatchObject({ ready: false, neededLamports: Number(missingLamports), remaining: 0 });
    expect(answer.neededUsd).toBeCloseTo(neededUsd, 5);
    expect(answer.reason).toContain(`${(Math.ceil(neededUsd * 100) / 100).toFixed(2)} USD`);
    expect(listCalls(deps)).not.toContain("swaps.planSwap");
    deps.chain.accounts.set(wallet, createSolAccount(missingLamports));
    expect(await requestUsdcSwap(deps)).toMatchObject({ ready: true });
  });

  test("the missing SOL includes the priority fee of the built swap", async () => {
    const deps = stageUsdc(6_000_000n, BASE_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + EMPTY_RENT_LAMPORTS);
    deps.planSwap = (request) => createSwapPlan(request, [buildSetComputeUnitPrice(1_000_000n)]);
    deps.chain.simulate = createSimulation(null, 10_000);
    expect(await requestUsdcSwap(deps)).toMatchObject({ ready: false, neededLamports: 3_050, transactions: [] });
  });

  test.each([
    ["the first source", { usd: { ...PRICES_USD, USDC: 0.989 } }],
    ["the second source", { referenceUsd: { USDC: 1.011 } }],
  ])("nothing is built with USDC that is not worth a dollar in %s, and SOL still buys", async (_caseName, changes) => {
    const deps = stageUsdc(6_000_000n, 10n ** 10n);
    setPrices(deps, changes);
    const message = expect.stringContaining("USDC is not worth one dollar");
    await expect(requestUsdcSwap(deps)).rejects.toMatchObject({ code: "service_not_ready", message });
    expect(listCalls(deps)).not.toContain("swaps.planSwap");
    expect(await requestUsdcSwap(deps, { payWith: "SOL" })).toMatchObject({ ready: true, payWith: "SOL" });
  });

  test("without payWith, USDC in the wallet is neither counted nor swapped", async () => {
    const deps = stageUsdc(500_000_000n, 10_000_000n);
    const answer = await requestUsdcSwap(deps, { payWith: undefined });
    expect(answer).toMatchObject({ ready: false, payWith: "SOL", balanceUsd: 1.5, remaining: 3.5 });
  });

  test("an allocation that keeps all USDC has nothing to swap", async () => {
    const allocations = [{ asset: "USDC", pct: 100 }];
    const answer = await requestUsdcSwap(stageUsdc(6_000_000n), { allocations });
    expect(answer).toMatchObject({ ready: false, neededAmount: "0", neededLamports: 0, neededUsd: 0 });
    expect(answer.reason).toContain("keeps USDC");
  });
});
