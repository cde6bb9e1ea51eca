import { SystemInstruction, SystemProgram, VersionedTransaction } from "@solana/web3.js";
import { afterEach, describe, expect, inject, test } from "vitest";
import {
  chain,
  compose,
  healSandbox,
  lamportsOf,
  newSaver,
  rentMinimum,
  toInstruction,
  transfer,
  wrapFor,
} from "../support/chain/chain";
import { data, execute, fund, newWallet, post, signTransaction, type Wallet } from "../support/client/client";

afterEach(healSandbox);

const FEE = 5_000;

/** Decodes System transfer instructions with web3.js. */
function transfersOf(instructions: Parameters<typeof toInstruction>[0][]) {
  return instructions.map((wire) => {
    const { fromPubkey, toPubkey, lamports } = SystemInstruction.decodeTransfer(toInstruction(wire));
    return { from: fromPubkey.toBase58(), to: toPubkey.toBase58(), lamports: Number(lamports) };
  });
}

/** Returns a wallet, and an address for its savings that was never derived. */
const newPair = async () => ({ user: await newWallet(), service: await newWallet() });

const ask = (user: Wallet, fields: Record<string, unknown>) => post("/api/wrap", fields, { headers: user.headers });

describe("200: what is built", () => {
  test("returns every field, with parts that add up to the lamport", async () => {
    const saver = await newPair();
    await fund(saver.user.address, 1);
    const { instructions, transaction, unsigned, affordable, breakdown } = await wrapFor(saver, {
      txValueUsd: 27.63,
      plan: "tree",
    });
    expect(breakdown).toEqual({
      txValueUsd: 27.63,
      plan: "tree",
      roundToUsd: 0.5,
      ceilingUsd: 1,
      multiplier: 1,
      roundedToUsd: 28,
      roundUpUsd: 0.37,
      roundUpSol: breakdown.roundUpLamports / 1e9,
      serviceFeePercent: 0.5,
      serviceFeeUsd: 0.00185,
      serviceFeeSol: breakdown.serviceFeeLamports / 1e9,
      userInvestmentUsd: 0.36815,
      userInvestmentSol: breakdown.userInvestmentLamports / 1e9,
      solPriceUsd: expect.any(Number),
      skipped: false,
      capped: false,
      roundUpLamports: Math.floor((0.37 / breakdown.solPriceUsd!) * 1e9),
      serviceFeeLamports: Math.floor(breakdown.roundUpLamports * 0.005),
      userInvestmentLamports: breakdown.roundUpLamports - breakdown.serviceFeeLamports,
      activationLamports: 0,
      networkFeeLamports: FEE,
      totalLamports: breakdown.roundUpLamports + FEE,
      feeCollector: expect.any(String),
    });
    expect(instructions).toHaveLength(2);
    expect(transaction).toEqual({
      base64: expect.any(String),
      blockhash: expect.any(String),
      lastValidBlockHeight: expect.any(Number),
    });
    expect(unsigned).toEqual(transaction);
    expect(affordable).toBe(true);
  });

  test("builds the two System transfers of the breakdown: savings, then the fee", async () => {
    const saver = await newPair();
    const { instructions, breakdown } = await wrapFor(saver, { txValueUsd: 3.4, plan: "forest" });
    expect(transfersOf(instructions)).toEqual([
      {
        from: saver.user.address,
        to: saver.service.address,
        lamports: breakdown.userInvestmentLamports + breakdown.activationLamports,
      },
      { from: saver.user.address, to: breakdown.feeCollector, lamports: breakdown.serviceFeeLamports },
    ]);
    for (const { programId, accounts } of instructions) {
      expect(programId).toBe(SystemProgram.programId.toBase58());
      expect(accounts.map(({ isSigner, isWritable }) => [isSigner, isWritable])).toEqual([
        [true, true],
        [false, true],
      ]);
    }
  });

  test("builds a transaction of exactly those instructions: unsigned, version 0, paid by the user, on a valid blockhash", async () => {
    const saver = await newPair();
    const { instructions, transaction } = await wrapFor(saver, { txValueUsd: 3.45 });
    const { message, signatures } = VersionedTransaction.deserialize(Buffer.from(transaction!.base64, "base64"));
    const keys = message.staticAccountKeys.map((key) => key.toBase58());
    expect(message.version).toBe(0);
    expect(message.addressTableLookups).toEqual([]);
    expect([keys[0], message.header.numRequiredSignatures]).toEqual([saver.user.address, 1]);
    expect(signatures.map((signature) => signature.every((byte) => byte === 0))).toEqual([true]);
    expect(message.recentBlockhash).toBe(transaction!.blockhash);
    expect((await chain().isBlockhashValid(transaction!.blockhash)).value).toBe(true);
    const height = await chain().getBlockHeight();
    expect(transaction!.lastValidBlockHeight).toBeGreaterThan(height);
    expect(transaction!.lastValidBlockHeight).toBeLessThanOrEqual(height + 150);
    const compiled = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programId: keys[programIdIndex],
      accounts: accountKeyIndexes.map((index) => ({
        pubkey: keys[index],
        isSigner: message.isAccountSigner(index),
        isWritable: message.isAccountWritable(index),
      })),
      data: Buffer.from(data).toString("base64"),
    }));
    expect(compiled).toEqual(instructions);
  });
});

describe("200: activation", () => {
  test("activates with the first wrap, and not with the next", async () => {
    const saver = await newSaver();
    const first = await wrapFor(saver, { txValueUsd: 4.98 });
    await data(execute(signTransaction(first.transaction!.base64, saver.user.keys), saver.user.headers));
    expect(await lamportsOf(saver.service.address)).toEqual([await rentMinimum()]);
    const second = await wrapFor(saver, { txValueUsd: 4.98 });
    expect(second.breakdown.activationLamports).toBe(0);
    expect(second.breakdown.totalLamports).toBe(second.breakdown.roundUpLamports + FEE);
  });
});

describe("200: affordable", () => {
  test("is true down to the last lamport, and the wrap then lands and empties the payer", async () => {
    const saver = await newSaver({ userSol: 0 });
    const wrap = { txValueUsd: 3.01, plan: "forest" };
    const { breakdown } = await wrapFor(saver, wrap);
    await fund(saver.user.address, (breakdown.totalLamports - 1) / 1e9);
    expect((await wrapFor(saver, wrap)).affordable).toBe(false);
    await fund(saver.user.address, 1e-9);
    const { affordable, transaction } = await wrapFor(saver, wrap);
    expect(affordable).toBe(true);
    await data(execute(signTransaction(transaction!.base64, saver.user.keys), saver.user.headers));
    expect(await lamportsOf(saver.user.address)).toEqual([0]);
  });

  test("is false when the payer would keep less than the rent-exempt minimum, which the chain refuses", async () => {
    const saver = await newSaver({ userSol: 0 });
    const wrap = { txValueUsd: 3.01, plan: "forest" };
    const { breakdown } = await wrapFor(saver, wrap);
    await fund(saver.user.address, (breakdown.totalLamports + 1) / 1e9);
    const { affordable, transaction } = await wrapFor(saver, wrap);
    expect(affordable).toBe(false);
    const signed = signTransaction(transaction!.base64, saver.user.keys);
    const { status, body } = await execute(signed, saver.user.headers);
    expect([status, body?.code]).toEqual([422, "simulation_failed"]);
    await fund(saver.user.address, ((await rentMinimum()) - 1) / 1e9);
    expect((await wrapFor(saver, wrap)).affordable).toBe(true);
  });
});

describe("200: on the chain", () => {
  test("lands the signed wrap and moves exactly the amounts of the breakdown", async () => {
    const saver = await newSaver();
    const { breakdown, transaction } = await wrapFor(saver, { txValueUsd: 12.34, plan: "tree" });
    const wallets = [saver.user.address, saver.service.address, breakdown.feeCollector];
    const before = await lamportsOf(...wallets);
    const signed = signTransaction(transaction!.base64, saver.user.keys);
    const { txSignature } = await data(execute(signed, saver.user.headers));
    const after = await lamportsOf(...wallets);
    expect(after.map((lamports, i) => lamports - before[i]!)).toEqual([
      -breakdown.totalLamports,
      breakdown.userInvestmentLamports + breakdown.activationLamports,
      breakdown.serviceFeeLamports,
    ]);
    const landed = await chain().getTransaction(txSignature, { maxSupportedTransactionVersion: 0 });
    expect(landed?.meta).toMatchObject({ err: null, fee: breakdown.networkFeeLamports });
  });

  test("builds a different transaction when the same wrap is requested after it was relayed, and saves again", async () => {
    const saver = await newSaver({ serviceSol: 0.01 });
    const wrap = { txValueUsd: 12.34, plan: "tree" };
    const signatures = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const { transaction } = await wrapFor(saver, wrap);
      const signed = signTransaction(transaction!.base64, saver.user.keys);
      signatures.add((await data(execute(signed, saver.user.headers))).txSignature);
    }
    expect(signatures.size).toBe(3);
    const { breakdown } = await wrapFor(saver, wrap);
    expect(await lamportsOf(saver.service.address)).toEqual([10_000_000 + 3 * breakdown.userInvestmentLamports]);
  });

  test.each([false, true])(
    "relays an app's own transaction with the appended wrap unchanged (legacy: %o)",
    async (legacy) => {
      const saver = await newSaver();
      const shop = await newWallet();
      await fund(shop.address, 0.01);
      const { breakdown, instructions } = await wrapFor(saver, { txValueUsd: 3.4, plan: "forest" });
      const signedTransaction = await compose({
        signers: [saver.user],
        legacy,
        instructions: [
          // ComputeBudget SetComputeUnitLimit (tag 2) 50,000.
          toInstruction({ programId: "ComputeBudget111111111111111111111111111111", accounts: [], data: "AlDDAAA=" }),
          transfer(saver.user.address, shop.address, 22_666_666),
          ...instructions.map(toInstruction),
        ],
      });
      const wallets = [shop.address, saver.service.address, breakdown.feeCollector];
      const before = await lamportsOf(...wallets);
      await data(execute(signedTransaction, saver.user.headers));
      const after = await lamportsOf(...wallets);
      expect(after.map((lamports, i) => lamports - before[i]!)).toEqual([
        22_666_666,
        breakdown.userInvestmentLamports + breakdown.activationLamports,
        breakdown.serviceFeeLamports,
      ]);
    },
  );
});

describe("400", () => {
  test("refuses identical wallets", async () => {
    const { user } = await newPair();
    const same = { userPubkey: user.address, serviceWalletPubkey: user.address };
    for (const txValueUsd of [3.45, 5]) {
      const { status, body } = await ask(user, { txValueUsd, ...same });
      expect([status, body?.code]).toEqual([400, "wallets_equal"]);
    }
  });

  test.each(["userPubkey", "serviceWalletPubkey"])("refuses a fee collector as %s", async (field) => {
    const { user, service } = await newPair();
    for (const collector of inject("doors").feeCollectors) {
      const wallets = { userPubkey: user.address, serviceWalletPubkey: service.address, [field]: collector };
      const { status, body } = await ask(user, { txValueUsd: 3.45, ...wallets });
      expect([status, body?.code]).toEqual([400, "wallet_not_allowed"]);
    }
  });
});
