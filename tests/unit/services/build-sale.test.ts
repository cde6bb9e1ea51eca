import fc from "fast-check";
import { describe, expect, test } from "vitest";
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
  type FakeDeps,
  FEE_COLLECTORS,
  fakeDeps,
  listCalls,
  PRICES_USD,
  pricesAt,
  recordRounds,
  solAccount,
  swapPlan,
  unitPrice,
} from "../../support/fakes/fake-deps";
import { tokenAccount } from "../../support/fakes/fake-simulation";
import { testWallet } from "../../support/fixtures/test-wallets";

const EMPTY_RENT = 650_240n;
const TOKEN_RENT = 1_488_440n;
const BASE_FEE = 5_000n;
const wallet = testWallet("service wallet").address;
const HELD = 12_345n;

/** Holds BTC beside its SOL. */
function holding(lamports: bigint, btc = HELD): FakeDeps {
  const deps = fakeDeps();
  deps.chain.accounts.set(wallet, solAccount(lamports));
  const { mint } = ASSETS.BTC;
  deps.chain.accounts.set(deriveAssociatedTokenAddress(wallet, mint), tokenAccount(mint, wallet, btc, TOKEN_RENT));
  return deps;
}

async function sell(deps: FakeDeps, query: object = {}): Promise<DataOf<typeof buildSaleContract>> {
  const fields = { serviceWalletPubkey: wallet, asset: "BTC", into: "SOL", ...query };
  const input = parseInput(buildSaleContract, "amount" in fields ? fields : { ...fields, all: true });
  return buildSaleContract.data.parse(await buildSale(deps, input));
}

const RICH = 10_000_000n;

describe("a sale that is ready", () => {
  test("every asset sells into SOL and USDC in full at its worth, and a client reads the same from the bytes", async () => {
    for (const into of SALE_TARGETS) {
      for (const asset of TRADED_ASSETS.filter((one) => one !== into)) {
        const deps = holding(RICH);
        const { mint } = ASSETS[asset];
        deps.chain.accounts.set(
          deriveAssociatedTokenAddress(wallet, mint),
          tokenAccount(mint, wallet, HELD, TOKEN_RENT),
        );
        const built = await sell(deps, { asset, into });
        expect(built).toMatchObject({ ready: true, reason: null, neededLamports: 0, balanceAmount: String(HELD) });
        const asked = { network: "sandbox", wallet, asset, into, amountBaseUnits: null, slippageBps: 100 } as const;
        expect(verifySale(built, { ...asked, prices: PRICES_USD })).toMatchObject({ inputAmount: HELD });
        expect(built.transactions[0]!.quote).toMatchObject({ inputMint: mint, targetAsset: into, warning: null });
      }
    }
  });

  test("an amount is sold exactly, with a plan for this wallet from the asset's mint into the target's", async () => {
    const deps = holding(RICH);
    const requests: SwapRequest[] = [];
    deps.plan = (request) => {
      requests.push(request);
      return swapPlan(request);
    };
    const { transactions } = await sell(deps, { amount: "345", slippageBps: 250 });
    const pair = { inputMint: ASSETS.BTC.mint, outputMint: ASSETS.SOL.mint };
    expect(requests).toEqual([{ ...pair, amount: 345n, slippageBps: 250, taker: wallet }]);
    expect(transactions).toMatchObject([{ inputAmount: "345", quote: { inputAmount: "345", slippageBps: 250 } }]);
  });

  test("the deposit of a new USDC account is itemised, and an existing account needs none", async () => {
    const deps = holding(RICH);
    const { mint } = ASSETS.USDC;
    expect((await sell(deps, { into: "USDC" })).costs.tokenAccountDepositLamports).toBe(Number(TOKEN_RENT));
    deps.chain.accounts.set(deriveAssociatedTokenAddress(wallet, mint), tokenAccount(mint, wallet, 1n, TOKEN_RENT));
    expect((await sell(deps, { into: "USDC" })).costs.tokenAccountDepositLamports).toBe(0);
  });

  test("a purchase of everything leaves enough SOL for a sale into either, at any price per unit", async () => {
    const price = fc.bigInt({ min: 0n, max: 100_000n });
    const property = fc.asyncProperty(price, fc.constantFrom(...SALE_TARGETS), async (microLamports, into) => {
      const units = 30_000n;
      const spent = (microLamports * ((units * 120n) / 100n) + 999_999n) / 1_000_000n;
      const left = EMPTY_RENT + TOKEN_RENT + MAX_PRIORITY_FEE_LAMPORTS - spent;
      const deps = holding(left);
      deps.plan = (request) => swapPlan(request, [unitPrice(microLamports)]);
      deps.chain.simulation = () => ({ error: null, logs: [], unitsConsumed: Number(units) });
      expect(await sell(deps, { into })).toMatchObject({ ready: true });
    });
    await fc.assert(property, { numRuns: 50 });
  });

  test("is never paused", async () => {
    const deps = holding(RICH);
    deps.pause = { parts: ["save", "invest"], reason: null };
    expect(await sell(deps)).toMatchObject({ ready: true });
  });
});

describe("a sale that is not ready", () => {
  test.each<[string, bigint, object, RegExp]>([
    ["holds none of it", 0n, {}, /holds no BTC/],
    ["holds less than that", HELD, { amount: String(HELD + 1n) }, /holds only 0\.00012345 BTC/],
  ])(
    "a sale whose wallet %s is refused with the reason, and no plan is requested",
    async (_what, btc, asked, reason) => {
      const deps = holding(RICH, btc);
      const built = await sell(deps, asked);
      expect(built).toMatchObject({ ready: false, reason: expect.stringMatching(reason), transactions: [] });
      expect(listCalls(deps)).not.toContain("swaps.planSwap");
    },
  );

  test.each([
    ["SOL", BASE_FEE + TOKEN_RENT],
    ["USDC", BASE_FEE + TOKEN_RENT + EMPTY_RENT],
  ] as const)(
    "a sale into %s with too little SOL names the missing amount to the lamport, and never as 0 dollars",
    async (into, least) => {
      const short = await sell(holding(least - 7n), { into });
      expect(short).toMatchObject({ ready: false, neededLamports: 7, neededUsd: 0.000001, transactions: [] });
      expect(await sell(holding(least - 1n), { into })).toMatchObject({ neededLamports: 1, neededUsd: 0.000001 });
      expect(short.reason).toContain("lacks 0.000000007 SOL");
      expect(await sell(holding(least), { into })).toMatchObject({ ready: true, neededLamports: 0, neededUsd: 0 });
    },
  );

  test("the missing SOL includes the real network fee", async () => {
    const deps = holding(BASE_FEE + TOKEN_RENT);
    deps.plan = (request) => swapPlan(request, [unitPrice(1_000_000n)]);
    deps.chain.simulation = () => ({ error: null, logs: [], unitsConsumed: 10_000 });
    expect(await sell(deps)).toMatchObject({ ready: false, neededLamports: 3_000, transactions: [] });
  });

  test("a sale for half of what the price promises is neither built nor simulated", async () => {
    const deps = holding(RICH);
    deps.plan = (request) => {
      const fair = swapPlan(request);
      const outputAmount = fair.outputAmount / 2n;
      return { ...fair, outputAmount, minimumOutputAmount: (outputAmount * 99n) / 100n };
    };
    const built = await sell(deps);
    expect(built).toMatchObject({ ready: false, reason: expect.stringContaining("less SOL"), transactions: [] });
    expect(listCalls(deps)).not.toContain("rpc.simulate");
  });

  test("builds nothing with a stale or doubtful price", async () => {
    const stale = holding(RICH);
    await stale.clock.advance(60_001);
    await expect(sell(stale)).rejects.toMatchObject({ code: "price_stale" });
    for (const asset of ["BTC", "USDC"]) {
      const deps = holding(RICH);
      deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { [asset]: "jumped" } });
      const pending = sell(deps, { into: "USDC" });
      await expect(pending).rejects.toMatchObject({ code: "price_stale", message: expect.stringContaining(asset) });
    }
  });

  test("refuses a fee collector before any upstream call", async () => {
    const deps = fakeDeps();
    const asked = { serviceWalletPubkey: FEE_COLLECTORS[0] };
    await expect(sell(deps, asked)).rejects.toMatchObject({ code: "wallet_not_allowed" });
    expect(deps.calls).toEqual([]);
  });
});

test("a sale takes three rounds: reads, the plan, and its simulation with the accounts it may write to", async () => {
  const deps = holding(RICH);
  expect(await recordRounds(deps, () => sell(deps))).toEqual([
    ["prices.readCurrent", "rpc.readAccounts", "rpc.readRentExemptMinimum", "rpc.readRentExemptMinimum"],
    ["swaps.planSwap"],
    ["rpc.readAccounts", "rpc.readLatestBlockhash", "rpc.simulate"],
  ]);
});
