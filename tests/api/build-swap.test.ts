import { VersionedTransaction } from "@solana/web3.js";
import { afterEach, describe, expect, inject, test } from "vitest";
import { ASSETS, type AssetSymbol } from "../../lib/domain/assets";
import { sandboxRpc } from "../support/app/app";
import {
  buyAssets,
  createSaver,
  getConnection,
  readLamports,
  readRent,
  removeFaults,
  type Saver,
  UPSTREAM_TEXT,
} from "../support/chain/chain";
import { readTokenBalances } from "../support/chain/tokens";
import { data, execute, post, signTransaction } from "../support/client/client";

afterEach(removeFaults);

const buildSwap = (saver: Saver, fields: Record<string, unknown> = {}) =>
  post("/api/swap/build", { serviceWalletPubkey: saver.service.address, ...fields }, { headers: saver.user.headers });

/** Returns the base units of an asset; 0 without a token account. */
const readBalance = async (owner: string, asset: AssetSymbol) =>
  (await readTokenBalances(owner))[ASSETS[asset].mint] ?? 0n;

/** Creates a saver whose service wallet holds `sol`. */
const createInvestor = (sol: number) => createSaver({ userSol: 0, serviceSol: sol });

describe("200: ready", () => {
  test("lands the signed swap: at least the minimum arrives, and no more SOL leaves than the build states", async () => {
    const saver = await createInvestor(0.5);
    const { costs, swappableLamports, transactions } = await buyAssets(saver, {});
    const received = await readBalance(saver.service.address, "BTC");
    expect(received).toBeGreaterThanOrEqual(BigInt(transactions[0]!.quote.minimumOutputAmount));
    const [left] = await readLamports(saver.service.address);
    const maxSpent = swappableLamports + costs.networkFeeLamports + costs.tokenAccountDepositLamports;
    expect(500_000_000 - left!).toBeGreaterThan(swappableLamports);
    expect(500_000_000 - left!).toBeLessThanOrEqual(maxSpent);
    expect(left).toBeGreaterThanOrEqual(await readRent());
  });

  test("lands four swaps for five assets, and keeps the share of SOL", async () => {
    const saver = await createInvestor(2);
    const allocations = ["BTC", "ETH", "USDC", "USDT", "SOL"].map((asset) => ({ asset, pct: 20 }));
    const { swappableLamports, transactions } = await buyAssets(saver, { allocations });
    expect(transactions).toHaveLength(4);
    const [left] = await readLamports(saver.service.address);
    expect(left).toBeGreaterThanOrEqual(Math.floor(swappableLamports / 5));
    for (const { asset, quote } of transactions) {
      expect(await readBalance(saver.service.address, asset)).toBeGreaterThanOrEqual(BigInt(quote.minimumOutputAmount));
    }
  });
});

describe("422: a stale swap fails with a clear error and costs nothing", () => {
  test("refuses a swap whose price has moved beyond the slippage", async () => {
    const saver = await createInvestor(0.5);
    const { transactions } = await data(buildSwap(saver, { targetAsset: "ETH" }));
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
    const { status, body, text } = await execute(signTransaction(transaction, saver.service.keys), saver.user.headers);
    expect([status, body?.code]).toEqual([422, "simulation_failed"]);
    expect(text).not.toMatch(UPSTREAM_TEXT);
    expect(await readLamports(saver.service.address)).toEqual([500_000_000]);
  });
});
