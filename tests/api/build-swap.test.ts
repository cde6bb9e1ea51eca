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
import { post, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

afterEach(removeFaults);

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

test("200: swaps all USDC for BTC, and moves SOL only for the stated fee and deposit", async () => {
  const saver = await createInvestor();
  await buyAssets(saver, { targetAsset: "USDC" });
  const { address } = saver.serviceWallet;
  const units = String((await readTokenBalances(address))[ASSETS.USDC.mint]);
  const [lamportsBefore] = await readLamports(address);
  const { costs, transactions, ...build } = await buyAssets(saver, { payWith: "USDC" });
  expect(build).toMatchObject({ payWith: "USDC", balanceAmount: units, swappableAmount: units, swappableLamports: 0 });
  const { [ASSETS.USDC.mint]: usdcLeft, [ASSETS.BTC.mint]: bought } = await readTokenBalances(address);
  expect(usdcLeft).toBe(0n);
  expect(bought).toBeGreaterThanOrEqual(BigInt(transactions[0]!.quote.minimumOutputAmount));
  const [lamportsAfter] = await readLamports(address);
  expect(lamportsBefore! - lamportsAfter!).toBe(costs.networkFeeLamports + costs.tokenAccountDepositLamports);
  expect(lamportsAfter).toBeGreaterThanOrEqual(costs.reserveLamports);
});
