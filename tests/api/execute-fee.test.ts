import type { TransactionInstruction } from "@solana/web3.js";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { buildSigned, createSaver, readLamports, readRent, type Saver, transfer } from "../support/chain/chain";
import { data, post, type Wallet } from "../support/client/client";

/** POST /api/swap/execute: a deposit into a service wallet must include the fee, in whatever instruction it is made. */

const SOL = 1_000_000_000;

let rentMin: number;
let collector: string;

beforeAll(async () => {
  rentMin = await readRent();
  collector = inject("apps").feeCollectors[3]!;
});

const relay = (signedTransaction: string, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });

/** Signs with the user, and with the service wallet if required. */
async function send({ user, service }: Saver, ...instructions: TransactionInstruction[]) {
  return relay(await buildSigned({ signers: [user, service], instructions: withPayer(user, instructions) }), user);
}

/** The first signer pays. An empty transfer to itself keeps it a signer in every case. */
const withPayer = ({ address }: Wallet, instructions: TransactionInstruction[]) => [
  ...instructions,
  transfer(address, address, 0),
];

/** Minimum fee of a deposit: floor(0.25 % of the amount above the rent-exempt minimum). */
const computeMinimumFee = (deposit: number) => Math.floor(Math.max(0, deposit - rentMin) / 400);

describe("403", () => {
  test("refuses a deposit without a fee into a stranger's service wallet", async () => {
    const saver = await createSaver();
    const other = await createSaver({ userSol: 0 });
    const before = await readLamports(saver.user.address);
    const { status, body } = await send(saver, transfer(saver.user.address, other.service.address, 10_000_000));
    expect([status, body?.code]).toEqual([403, "fee_missing"]);
    expect(await readLamports(saver.user.address)).toEqual(before);
  });
});

describe("200", () => {
  test("accepts exactly the minimum fee", async () => {
    const saver = await createSaver({ userSol: 2 });
    const [before] = await readLamports(collector);
    const { address } = saver.user;
    await data(
      send(saver, transfer(address, saver.service.address, SOL), transfer(address, collector, computeMinimumFee(SOL))),
    );
    expect(await readLamports(saver.service.address, collector)).toEqual([SOL, before! + computeMinimumFee(SOL)]);
  });
});
