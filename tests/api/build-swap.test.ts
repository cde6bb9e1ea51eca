import { PublicKey, VersionedTransaction } from "@solana/web3.js";
import { afterEach, describe, expect, inject, test } from "vitest";
import { ASSETS, type AssetSymbol } from "../../lib/domain/assets";
import { TOKEN_PROGRAM } from "../../lib/solana/programs";
import { associatedTokenAddress } from "../../lib/solana/token-instructions";
import { sandboxRpc } from "../support/app/app";
import {
  buy,
  chain,
  healSandbox,
  lamportsOf,
  newSaver,
  rentMinimum,
  type Saver,
  UPSTREAM_TEXT,
} from "../support/chain/chain";
import { data, execute, post, signTransaction } from "../support/client/client";

afterEach(healSandbox);

const ask = (saver: Saver, fields: Record<string, unknown> = {}) =>
  post("/api/swap/build", { serviceWalletPubkey: saver.service.address, ...fields }, { headers: saver.user.headers });

const tokenAccount = (owner: string, asset: AssetSymbol) => associatedTokenAddress(owner, ASSETS[asset].mint);

/** Base units of an asset; 0 without a token account. */
async function held(owner: string, asset: AssetSymbol): Promise<bigint> {
  const { value } = await chain().getTokenAccountsByOwner(new PublicKey(owner), {
    programId: new PublicKey(TOKEN_PROGRAM),
  });
  const account = value.find(({ pubkey }) => pubkey.toBase58() === tokenAccount(owner, asset));
  return account ? account.account.data.readBigUInt64LE(64) : 0n;
}

/** Creates a saver whose service wallet holds `sol`. */
const investor = (sol: number) => newSaver({ userSol: 0, serviceSol: sol });

/** Returns the blockhash inside an unsigned transaction. */
const blockhashIn = (base64: string) =>
  VersionedTransaction.deserialize(Buffer.from(base64, "base64")).message.recentBlockhash;

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

describe("200: not ready", () => {
  test("gives every figure, a reason and no transactions for a wallet that does not exist", async () => {
    const saver = await investor(0);
    const answer = await data(ask(saver));
    expect(answer).toEqual({
      ready: false,
      reason: "The balance is below the threshold; 5.00 USD are missing until something can be swapped.",
      balanceSol: 0,
      balanceUsd: 0,
      threshold: 5,
      remaining: 5,
      neededLamports: expect.any(Number),
      neededUsd: expect.closeTo(5, 5),
      costs: {
        networkFeeLamports: expect.any(Number),
        tokenAccountDepositLamports: await rentMinimum(165),
        reserveLamports: (await rentMinimum()) + (await rentMinimum(165)),
      },
      swappableLamports: 0,
      transactions: [],
    });
  });
});

describe("200: ready", () => {
  test("returns every field, with costs and input that add up to the balance", async () => {
    const saver = await investor(0.5);
    const answer = await data(ask(saver));
    const { costs, swappableLamports, transactions } = answer;
    expect(answer).toMatchObject({ ready: true, reason: null, balanceSol: 0.5, threshold: 5, remaining: 0 });
    expect(sum(Object.values<number>(costs)) + swappableLamports).toBe(500_000_000);
    expect(costs.tokenAccountDepositLamports).toBe(await rentMinimum(165));
    expect(transactions).toEqual([
      {
        asset: "BTC",
        pct: 100,
        inputLamports: swappableLamports,
        transaction: expect.any(String),
        lastValidBlockHeight: expect.any(Number),
        unsigned: {
          base64: transactions[0]!.transaction,
          blockhash: blockhashIn(transactions[0]!.transaction),
          lastValidBlockHeight: transactions[0]!.lastValidBlockHeight,
        },
        quote: {
          inputLamports: swappableLamports,
          inputSol: swappableLamports / 1e9,
          targetAsset: "BTC",
          outputMint: ASSETS.BTC.mint,
          outputAmount: expect.stringMatching(/^[1-9]\d*$/),
          outputDecimals: 8,
          minimumOutputAmount: expect.stringMatching(/^[1-9]\d*$/),
          slippageBps: 100,
          priceImpact: expect.any(Number),
          route: expect.arrayContaining([expect.any(String)]),
          priceUsd: expect.any(Number),
          warning: null,
        },
      },
    ]);
  });

  test("builds an unsigned version 0 transaction that only the service wallet signs", async () => {
    const saver = await investor(0.5);
    const { transactions } = await data(ask(saver, { targetAsset: "ETH", slippageBps: 30 }));
    expect(transactions[0]).toMatchObject({ asset: "ETH", quote: { slippageBps: 30 } });
    const { message, signatures } = VersionedTransaction.deserialize(
      Buffer.from(transactions[0]!.transaction, "base64"),
    );
    expect(message.version).toBe(0);
    expect(signatures.map((signature) => signature.every((byte) => byte === 0))).toEqual([true]);
    expect(message.staticAccountKeys[0]?.toBase58()).toBe(saver.service.address);
    expect(transactions[0]!.lastValidBlockHeight).toBeGreaterThan(await chain().getBlockHeight());
  });

  test("lands the signed swap: at least the minimum arrives, and no more SOL leaves than the build states", async () => {
    const saver = await investor(0.5);
    const { costs, swappableLamports, transactions } = await buy(saver, {});
    const received = await held(saver.service.address, "BTC");
    expect(received).toBeGreaterThanOrEqual(BigInt(transactions[0]!.quote.minimumOutputAmount));
    const [left] = await lamportsOf(saver.service.address);
    const most = swappableLamports + costs.networkFeeLamports + costs.tokenAccountDepositLamports;
    expect(500_000_000 - left!).toBeGreaterThan(swappableLamports);
    expect(500_000_000 - left!).toBeLessThanOrEqual(most);
    expect(left).toBeGreaterThanOrEqual(await rentMinimum());
  });

  test("splits two assets by shares with six decimals, and both swaps land", async () => {
    const saver = await investor(1);
    const allocations = [
      { asset: "BTC", pct: 66.666667 },
      { asset: "USDC", pct: 33.333333 },
    ];
    const { swappableLamports, transactions, costs } = await buy(saver, { allocations });
    expect(costs.tokenAccountDepositLamports).toBe(2 * (await rentMinimum(165)));
    expect(transactions.map(({ asset, pct }: { asset: string; pct: number }) => ({ asset, pct }))).toEqual(allocations);
    const inputs: number[] = transactions.map(({ inputLamports }: { inputLamports: number }) => inputLamports);
    expect(sum(inputs)).toBe(swappableLamports);
    expect(inputs[1]).toBe(Number((BigInt(swappableLamports) * 33_333_333n) / 100_000_000n));
    for (const { asset, quote } of transactions) {
      expect(await held(saver.service.address, asset)).toBeGreaterThanOrEqual(BigInt(quote.minimumOutputAmount));
    }
  });

  test("prefers allocations, SOL included, over a targetAsset in the same request", async () => {
    const saver = await investor(0.5);
    const allocations = [{ asset: "ETH", pct: 100 }];
    for (const targetAsset of ["BTC", "ETH", "SOL"]) {
      const { ready, transactions } = await data(ask(saver, { targetAsset, allocations }));
      expect({ ready, bought: transactions.map(({ asset }: { asset: string }) => asset) }).toEqual({
        ready: true,
        bought: ["ETH"],
      });
    }
  });

  test("lands four swaps for five assets, and keeps the share of SOL", async () => {
    const saver = await investor(2);
    const allocations = ["BTC", "ETH", "USDC", "USDT", "SOL"].map((asset) => ({ asset, pct: 20 }));
    const { swappableLamports, transactions } = await buy(saver, { allocations });
    expect(transactions).toHaveLength(4);
    const [left] = await lamportsOf(saver.service.address);
    expect(left).toBeGreaterThanOrEqual(Math.floor(swappableLamports / 5));
    for (const { asset, quote } of transactions) {
      expect(await held(saver.service.address, asset)).toBeGreaterThanOrEqual(BigInt(quote.minimumOutputAmount));
    }
  });
});

describe("422: a stale swap fails with a clear error and costs nothing", () => {
  test("refuses a swap whose price has moved beyond the slippage", async () => {
    const saver = await investor(0.5);
    const { transactions } = await data(ask(saver, { targetAsset: "ETH" }));
    const { transaction } = transactions[0]!;
    await sandboxRpc(inject("doors").rpc, "sandbox_setPrice", ["ETH", 4_000]);
    // The maker withdraws its offer within about a second.
    const { message } = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
    const simulate = async () => {
      const config = { sigVerify: false, replaceRecentBlockhash: true };
      const { value } = await chain().simulateTransaction(new VersionedTransaction(message), config);
      return value.err;
    };
    await expect.poll(simulate, { timeout: 30_000 }).not.toBeNull();
    const { status, body, text } = await execute(signTransaction(transaction, saver.service.keys), saver.user.headers);
    expect([status, body?.code]).toEqual([422, "simulation_failed"]);
    expect(text).not.toMatch(UPSTREAM_TEXT);
    expect(await lamportsOf(saver.service.address)).toEqual([500_000_000]);
  });
});
