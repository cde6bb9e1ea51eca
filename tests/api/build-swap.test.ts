import { VersionedTransaction } from "@solana/web3.js";
import { afterEach, expect, inject, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { sandboxRpc } from "../support/app/app";
import {
  buyAssets,
  createSaver,
  getConnection,
  readLamports,
  readRent,
  removeFaults,
  UPSTREAM_TEXT_PATTERN,
} from "../support/chain/chain";
import { readTokenBalances } from "../support/chain/tokens";
import { fund, post, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

afterEach(removeFaults);

/** Creates a saver whose service wallet holds 0.5 SOL. */
const createInvestor = () => createSaver({ userSol: 0, serviceSol: 0.5 });

test("200: delivers at least the quoted minimum for at most the stated SOL", async () => {
  const saver = await createInvestor();
  const { costs, swappableLamports, transactions } = await buyAssets(saver, {});
  const { [ASSETS.BTC.mint]: received } = await readTokenBalances(saver.serviceWallet.address);
  expect(received).toBeGreaterThanOrEqual(BigInt(transactions[0]!.quote.minimumOutputAmount));
  const [remaining] = await readLamports(saver.serviceWallet.address);
  const maxSpent = swappableLamports + costs.networkFeeLamports + costs.tokenAccountDepositLamports;
  expect(500_000_000 - remaining!).toBeGreaterThan(swappableLamports);
  expect(500_000_000 - remaining!).toBeLessThanOrEqual(maxSpent);
  expect(remaining).toBeGreaterThanOrEqual(await readRent());
});

test("422: refuses a swap whose price moved beyond the slippage without a cost to the wallet", async () => {
  const saver = await createInvestor();
  const body = { serviceWalletPubkey: saver.serviceWallet.address, targetAsset: "ETH" };
  const { transactions } = await readData(post("/api/swap/build", body, { headers: saver.user.headers }));
  const { transaction } = transactions[0]!;
  await sandboxRpc(inject("apps").rpc, "sandbox_setPrice", ["ETH", 4_000]);
  // The maker withdraws its offer within about a second.
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
  const simulate = async () => {
    const config = { sigVerify: false, replaceRecentBlockhash: true };
    const { value } = await getConnection().simulateTransaction(new VersionedTransaction(message), config);
    return value.err;
  };
  await expect.poll(simulate, { timeout: 30_000 }).not.toBeNull();
  const answer = await postSigned(signTransaction(transaction, saver.serviceWallet.keys), saver.user.headers);
  expectFailure(answer, "simulation_failed");
  expect(answer.text).not.toMatch(UPSTREAM_TEXT_PATTERN);
  expect(await readLamports(saver.serviceWallet.address)).toEqual([500_000_000]);
});

/** Creates a saver whose service wallet holds about 74 USDC, and the SOL that a full investment leaves. */
async function createUsdcSaver() {
  const saver = await createInvestor();
  await buyAssets(saver, { targetAsset: "USDC" });
  const { [ASSETS.USDC.mint]: units } = await readTokenBalances(saver.serviceWallet.address);
  return { ...saver, units: units! };
}

test("200: swaps all USDC for BTC, and moves SOL only for the stated fee and deposit", async () => {
  const saver = await createUsdcSaver();
  const { address } = saver.serviceWallet;
  const [lamportsBefore] = await readLamports(address);
  const { costs, transactions, ...build } = await buyAssets(saver, { payWith: "USDC" });
  const units = String(saver.units);
  expect(build).toMatchObject({ payWith: "USDC", balanceAmount: units, swappableAmount: units, swappableLamports: 0 });
  const { [ASSETS.USDC.mint]: usdcLeft, [ASSETS.BTC.mint]: bought } = await readTokenBalances(address);
  expect(usdcLeft).toBe(0n);
  expect(bought).toBeGreaterThanOrEqual(BigInt(transactions[0]!.quote.minimumOutputAmount));
  const [lamportsAfter] = await readLamports(address);
  expect(lamportsBefore! - lamportsAfter!).toBe(costs.networkFeeLamports + costs.tokenAccountDepositLamports);
  expect(lamportsAfter).toBeGreaterThanOrEqual(costs.reserveLamports);
});

test("200: keeps the share of USDC, and buys SOL with another one", async () => {
  const saver = await createUsdcSaver();
  const { address } = saver.serviceWallet;
  const [lamportsBefore] = await readLamports(address);
  const allocations = [
    { asset: "USDC", pct: 33.333333 },
    { asset: "SOL", pct: 66.666667 },
  ];
  const { costs, transactions } = await buyAssets(saver, { payWith: "USDC", allocations });
  const soldUnits = (saver.units * 66_666_667n) / 100_000_000n;
  expect(transactions).toMatchObject([{ asset: "SOL", inputAmount: String(soldUnits) }]);
  expect((await readTokenBalances(address))[ASSETS.USDC.mint]).toBe(saver.units - soldUnits);
  const [lamportsAfter] = await readLamports(address);
  const gainedLamports = lamportsAfter! - lamportsBefore! + costs.networkFeeLamports;
  expect(gainedLamports).toBeGreaterThanOrEqual(Number(transactions[0]!.quote.minimumOutputAmount));
});

test("200: says in dollars what is missing, of USDC and of SOL for the costs, and builds nothing", async () => {
  const { user, serviceWallet, units } = await createUsdcSaver();
  const requestBuild = (fields: object) => {
    const body = { serviceWalletPubkey: serviceWallet.address, payWith: "USDC", ...fields };
    return readData(post("/api/swap/build", body, { headers: user.headers }));
  };
  const poorBuild = await requestBuild({ threshold: 100 });
  const missingUsd = (100_000_000 - Number(units)) / 1e6;
  expect(poorBuild).toMatchObject({ ready: false, neededLamports: 0, transactions: [], remaining: missingUsd });
  expect(poorBuild.reason).toContain(`${(Math.ceil(missingUsd * 100) / 100).toFixed(2)} USD are missing`);
  // The SOL that is left opens one account, and these are two.
  const allocations = ["BTC", "ETH"].map((asset) => ({ asset, pct: 50 }));
  const costlyBuild = await requestBuild({ allocations });
  expect(costlyBuild).toMatchObject({ ready: false, neededAmount: "0", remaining: 0, transactions: [] });
  expect(costlyBuild.neededUsd).toBeCloseTo((costlyBuild.neededLamports * 150) / 1e9, 5);
  expect(costlyBuild.reason).toMatch(/^SOL worth 0\.\d\d USD is missing/);
  await fund(serviceWallet.address, costlyBuild.neededLamports / 1e9);
  expect(await requestBuild({ allocations })).toMatchObject({ ready: true, neededLamports: 0 });
});
