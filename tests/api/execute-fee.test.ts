import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  compose,
  keypairOf,
  lamportsOf,
  newSaver,
  rentMinimum,
  type Saver,
  sendDirectly,
  toInstruction,
  transfer,
  wrapFor,
} from "../support/chain/chain";
import { data, deriveServiceWallet, newWallet, post, signTransaction, type Wallet } from "../support/client/client";

/** POST /api/swap/execute: a deposit into a service wallet must include the fee, in whatever instruction it is made. */

const SOL = 1_000_000_000;

let rentMin: number;
let collector: string;

beforeAll(async () => {
  rentMin = await rentMinimum();
  collector = inject("doors").feeCollectors[3]!;
});

const relay = (signedTransaction: string, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });

/** Signs with the user, and with the service wallet if required. */
async function send({ user, service }: Saver, ...instructions: TransactionInstruction[]) {
  return relay(await compose({ signers: [user, service], instructions: withPayer(user, instructions) }), user);
}

/** The first signer pays. An empty transfer to itself keeps it a signer in every case. */
const withPayer = ({ address }: Wallet, instructions: TransactionInstruction[]) => [
  ...instructions,
  transfer(address, address, 0),
];

/** Minimum fee of a deposit: floor(0.25 % of the amount above the rent-exempt minimum). */
const leastFee = (deposit: number) => Math.floor(Math.max(0, deposit - rentMin) / 400);

async function expectRefused(saver: Saver, ...instructions: TransactionInstruction[]) {
  const before = await lamportsOf(saver.user.address, saver.service.address);
  const { status, body } = await send(saver, ...instructions);
  expect([status, body?.code]).toEqual([403, "fee_missing"]);
  expect(await lamportsOf(saver.user.address, saver.service.address)).toEqual(before);
}

describe("403", () => {
  test("refuses a wrap without its fee", async () => {
    const saver = await newSaver();
    const { instructions } = await wrapFor(saver, { txValueUsd: 3.45 });
    await expectRefused(saver, toInstruction(instructions[0]!));
  });

  test("refuses a wrap whose fee goes back to the user", async () => {
    const saver = await newSaver();
    const { instructions, breakdown } = await wrapFor(saver, { txValueUsd: 12.34, plan: "tree" });
    const toSelf = transfer(saver.user.address, saver.user.address, breakdown.serviceFeeLamports);
    await expectRefused(saver, toInstruction(instructions[0]!), toSelf);
  });

  test("refuses a collector payment that is one lamport too small", async () => {
    const saver = await newSaver({ userSol: 2 });
    const { address } = saver.user;
    await expectRefused(
      saver,
      transfer(address, saver.service.address, SOL),
      transfer(address, collector, leastFee(SOL) - 1),
    );
  });

  test("refuses a deposit split into transfers that are each too small to owe a fee", async () => {
    const saver = await newSaver({ serviceSol: 0.01 });
    const parts = Array.from({ length: 4 }, () => transfer(saver.user.address, saver.service.address, rentMin));
    await expectRefused(saver, ...parts, transfer(saver.user.address, collector, 0));
  });

  test("refuses deposits into two service wallets with the fee of one", async () => {
    const saver = await newSaver({ userSol: 5 });
    const second = await deriveServiceWallet(saver.user, 1);
    const { address } = saver.user;
    await expectRefused(
      saver,
      transfer(address, saver.service.address, SOL),
      transfer(address, second.address, SOL),
      transfer(address, collector, leastFee(SOL)),
    );
  });

  test("refuses a deposit that owes no fee when it names no collector", async () => {
    const saver = await newSaver({ serviceSol: 0.01 });
    await expectRefused(saver, transfer(saver.user.address, saver.service.address, 1));
  });

  test("refuses a deposit without a fee into a stranger's service wallet", async () => {
    const saver = await newSaver();
    const other = await newSaver({ userSol: 0 });
    const before = await lamportsOf(saver.user.address);
    const { status, body } = await send(saver, transfer(saver.user.address, other.service.address, 10_000_000));
    expect([status, body?.code]).toEqual([403, "fee_missing"]);
    expect(await lamportsOf(saver.user.address)).toEqual(before);
  });

  test("refuses a deposit without a fee through createAccount", async () => {
    const saver = await newSaver();
    const create = SystemProgram.createAccount({
      fromPubkey: new PublicKey(saver.user.address),
      newAccountPubkey: new PublicKey(saver.service.address),
      lamports: 10_000_000,
      space: 0,
      programId: SystemProgram.programId,
    });
    await expectRefused(saver, create);
  });

  test("refuses a deposit without a fee through createAccountWithSeed", async () => {
    const saver = await newSaver();
    const create = SystemProgram.createAccountWithSeed({
      fromPubkey: new PublicKey(saver.user.address),
      newAccountPubkey: new PublicKey(saver.service.address),
      basePubkey: new PublicKey(saver.user.address),
      seed: "a seed of some length",
      lamports: 10_000_000,
      space: 0,
      programId: SystemProgram.programId,
    });
    await expectRefused(saver, create);
  });

  test("refuses a deposit without a fee through transferWithSeed, from a funded account of the user", async () => {
    const saver = await newSaver({ serviceSol: 0.01 });
    const { from, deposit } = await seededAccount(saver, 500_000_000);
    await expectRefused(saver, deposit);
    expect(await lamportsOf(from)).toEqual([500_000_000]);
  });
});

describe("200", () => {
  test("accepts exactly the minimum fee", async () => {
    const saver = await newSaver({ userSol: 2 });
    const [before] = await lamportsOf(collector);
    const { address } = saver.user;
    await data(send(saver, transfer(address, saver.service.address, SOL), transfer(address, collector, leastFee(SOL))));
    expect(await lamportsOf(saver.service.address, collector)).toEqual([SOL, before! + leastFee(SOL)]);
  });

  test("accepts the fee first, and split over two collectors", async () => {
    const saver = await newSaver({ userSol: 2 });
    const [one, two] = inject("doors").feeCollectors as [string, string];
    const { address } = saver.user;
    const half = Math.ceil(leastFee(SOL) / 2);
    const fees = [one, two].map((to) => transfer(address, to, half));
    await data(send(saver, ...fees, transfer(address, saver.service.address, SOL)));
    expect(await lamportsOf(saver.service.address)).toEqual([SOL]);
  });

  test("accepts a deposit that owes no fee, with an empty collector payment", async () => {
    const saver = await newSaver();
    const { address } = saver.user;
    await data(send(saver, transfer(address, saver.service.address, rentMin), transfer(address, collector, 0)));
    expect(await lamportsOf(saver.service.address)).toEqual([rentMin]);
  });

  test("accepts transferWithSeed with its fee", async () => {
    const saver = await newSaver({ serviceSol: 0.01 });
    const { from, deposit } = await seededAccount(saver, 500_000_000);
    await data(send(saver, deposit, transfer(saver.user.address, collector, leastFee(500_000_000))));
    expect(await lamportsOf(from, saver.service.address)).toEqual([0, 510_000_000]);
  });

  test.concurrent.each(["seed", "sprout", "tree", "forest"])(
    "accepts every unmodified wrap of the plan %s",
    async (plan) => {
      const saver = await newSaver();
      for (const txValueUsd of [4.98, 123.01]) {
        const { transaction } = await wrapFor(saver, { txValueUsd, plan });
        await data(relay(signTransaction(transaction!.base64, saver.user.keys), saver.user));
      }
    },
  );

  test("accepts a large wrap with a custom increment, below the fee of every smaller one", async () => {
    const saver = await newSaver({ userSol: 3 });
    const { transaction } = await wrapFor(saver, { txValueUsd: 0.01, roundToUsd: 100, ceiling: 100 });
    await data(relay(signTransaction(transaction!.base64, saver.user.keys), saver.user));
  });

  test("requires no fee when money leaves a service wallet", async () => {
    const saver = await newSaver({ userSol: 0, serviceSol: 1 });
    const out = transfer(saver.service.address, saver.user.address, 900_000_000);
    await data(relay(await compose({ signers: [saver.service], instructions: [out] }), saver.user));
    expect(await lamportsOf(saver.user.address)).toEqual([900_000_000]);
  });

  test("treats a wallet that this service never derived as an ordinary wallet", async () => {
    const saver = { user: (await newSaver()).user, service: await newWallet() };
    await data(send(saver, transfer(saver.user.address, saver.service.address, 10_000_000)));
    expect(await lamportsOf(saver.service.address)).toEqual([10_000_000]);
  });
});

/**
 * Creates an account with `lamports` at an address derived from the user and a seed.
 * @returns its address, and the deposit of everything in it
 */
async function seededAccount({ user, service }: Saver, lamports: number) {
  const basePubkey = keypairOf(user).publicKey;
  const seed = "savings";
  const { programId } = SystemProgram;
  const fromPubkey = await PublicKey.createWithSeed(basePubkey, seed, programId);
  const instructions = [transfer(user.address, fromPubkey.toBase58(), lamports)];
  await sendDirectly(await compose({ signers: [user], instructions }));
  const toPubkey = new PublicKey(service.address);
  const deposit = SystemProgram.transfer({ fromPubkey, basePubkey, toPubkey, lamports, seed, programId });
  return { from: fromPubkey.toBase58(), deposit };
}
