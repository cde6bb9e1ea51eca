import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { carriesFee } from "../../../lib/domain/fee-policy";
import {
  createSystemTransfer,
  readSystemMovements,
  type SystemMovement,
} from "../../../lib/solana/system-instructions";
import { composeTransaction, decodeTransaction, resolveAccountKeys } from "../../../lib/solana/transactions";
import { lookupTableData } from "../../support/fixtures/lookup-table";

const publicKeys = Array.from({ length: 14 }, (_, i) => Keypair.fromSeed(new Uint8Array(32).fill(i + 1)).publicKey);
const names = publicKeys.map((key) => key.toBase58());
const [user, service, service2, collector, collector2, stranger] = names as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const blockhash = names[13]!;
const RENT = 890_880n;

const isService = (address: string) => address === service || address === service2;
const isCollector = (address: string) => address === collector || address === collector2;
const carries = (movements: SystemMovement[], rentMin = RENT) => carriesFee(movements, isService, isCollector, rentMin);
const move = (from: string, to: string, lamports: bigint): SystemMovement => ({ from, to, lamports });

const v0 = (...instructions: TransactionInstruction[]) =>
  new VersionedTransaction(
    new TransactionMessage({
      payerKey: publicKeys[0]!,
      recentBlockhash: blockhash,
      instructions,
    }).compileToV0Message(),
  ).serialize();
const legacy = (...instructions: TransactionInstruction[]) => {
  const transaction = new Transaction({ feePayer: publicKeys[0]!, blockhash, lastValidBlockHeight: 1 });
  return Uint8Array.from(transaction.add(...instructions).serialize({ requireAllSignatures: false }));
};

function movementsOf(bytes: Uint8Array, tables: Uint8Array[] = []): SystemMovement[] {
  const { decoded } = decodeTransaction(bytes);
  return readSystemMovements(decoded, resolveAccountKeys(decoded, tables)!);
}

describe("readSystemMovements", () => {
  const key = (address: string) => new PublicKey(address);
  const transfer = (to: string, lamports: bigint) =>
    SystemProgram.transfer({ fromPubkey: key(user), toPubkey: key(to), lamports });

  test.each([
    ["legacy", legacy],
    ["v0", v0],
  ] as const)("finds every top-level transfer in a %s message, up to the largest amount", (_version, build) => {
    const max = 2n ** 64n - 1n;
    expect(movementsOf(build(transfer(service, 0n), transfer(collector, max)))).toEqual([
      move(user, service, 0n),
      move(user, collector, max),
    ]);
  });

  test("counts createAccount, createAccountWithSeed, transferWithSeed and nonceWithdraw as movements", () => {
    const create = SystemProgram.createAccount({
      fromPubkey: key(user),
      newAccountPubkey: key(service),
      lamports: 11,
      space: 165,
      programId: key(stranger),
    });
    const withSeed = (basePubkey: PublicKey, seed: string) =>
      SystemProgram.createAccountWithSeed({
        fromPubkey: key(user),
        newAccountPubkey: key(service),
        basePubkey,
        seed,
        lamports: 12,
        space: 0,
        programId: key(stranger),
      });
    const transferWithSeed = SystemProgram.transfer({
      fromPubkey: key(stranger),
      basePubkey: key(user),
      toPubkey: key(service),
      lamports: 13n,
      seed: "any seed",
      programId: SystemProgram.programId,
    });
    const withdrawn = SystemProgram.nonceWithdraw({
      noncePubkey: key(stranger),
      authorizedPubkey: key(user),
      toPubkey: key(service),
      lamports: 14,
    });
    for (const build of [legacy, v0]) {
      expect(movementsOf(build(withdrawn))).toEqual([move(user, service, 14n)]);
      expect(movementsOf(build(create))).toEqual([move(user, service, 11n)]);
      for (const seed of ["", "s", "x".repeat(32)]) {
        expect(movementsOf(build(withSeed(key(user), seed)))).toEqual([move(user, service, 12n)]);
        expect(movementsOf(build(withSeed(key(stranger), seed)))).toEqual([move(user, service, 12n)]);
      }
      // The base account signs for the seeded account, so the base account pays.
      expect(movementsOf(build(transferWithSeed))).toEqual([move(user, service, 13n)]);
    }
  });

  test("finds recipients in a lookup table", () => {
    const { bytes } = composeTransaction({
      payer: user,
      instructions: [createSystemTransfer(user, service, 5n), createSystemTransfer(user, collector, 6n)],
      blockhash,
      lookupTables: { [stranger]: [collector, service] },
    });
    expect(movementsOf(bytes, [lookupTableData([collector, service])])).toEqual([
      move(user, service, 5n),
      move(user, collector, 6n),
    ]);
  });

  test("ignores other programs' instructions and other System instructions", () => {
    const foreign = transfer(service, 5n);
    foreign.programId = key(stranger);
    const allocate = SystemProgram.allocate({ accountPubkey: key(user), space: 100 });
    const assign = SystemProgram.assign({ accountPubkey: key(user), programId: key(stranger) });
    expect(movementsOf(v0(foreign, allocate, assign))).toEqual([]);
  });

  test("ignores a System instruction with truncated data or missing accounts without throwing", () => {
    const cut = (source: TransactionInstruction, length: number) => {
      const instruction = { ...source, data: source.data.subarray(0, length) } as TransactionInstruction;
      return movementsOf(v0(instruction));
    };
    const seeded = SystemProgram.createAccountWithSeed({
      fromPubkey: key(user),
      newAccountPubkey: key(service),
      basePubkey: key(user),
      seed: "seed",
      lamports: 12,
      space: 0,
      programId: key(stranger),
    });
    for (let length = 0; length < 12; length++) expect(cut(transfer(service, 5n), length)).toEqual([]);
    for (let length = 0; length < 56; length++) expect(cut(seeded, length)).toEqual([]);
    const lonely = transfer(service, 5n);
    lonely.keys = lonely.keys.slice(0, 1);
    expect(movementsOf(v0(lonely))).toEqual([]);
    const endless = { ...seeded, data: Buffer.from(seeded.data) } as TransactionInstruction;
    endless.data.fill(0xff, 36, 44);
    expect(movementsOf(v0(endless))).toEqual([]);
  });
});

describe("carriesFee", () => {
  const invested = 1_000_000n;
  const due = 2_500n;
  const deposit = move(user, service, RENT + invested);

  test("requires no fee when no service wallet receives a deposit", () => {
    expect(carries([])).toBe(true);
    expect(carries([move(user, stranger, 10n ** 12n)])).toBe(true);
    expect(carries([move(service, stranger, 10n ** 12n)])).toBe(true);
  });

  test("refuses a transaction without the fee, even when others are paid", () => {
    expect(carries([deposit])).toBe(false);
    expect(carries([deposit, move(user, stranger, 10n ** 12n)])).toBe(false);
  });

  test("accepts exactly 0.25 % of the deposit above the rent minimum, and refuses one lamport less", () => {
    expect(carries([deposit, move(user, collector, due)])).toBe(true);
    expect(carries([move(user, collector, due), deposit])).toBe(true);
    expect(carries([deposit, move(user, collector, due - 1n)])).toBe(false);
  });

  test("accepts a fee in parts, to several collectors, from any payer", () => {
    expect(carries([deposit, move(user, collector, due - 1n), move(stranger, collector2, 1n)])).toBe(true);
  });

  test("counts a split deposit as one", () => {
    const parts = Array.from({ length: 10 }, () => move(user, service, (RENT + invested) / 10n));
    expect(carries([...parts, move(user, collector, due)])).toBe(true);
    expect(carries([...parts, move(user, collector, due - 1n)])).toBe(false);
  });

  test("accepts a transfer of 0 lamports when no fee is due, but refuses a missing transfer", () => {
    for (const lamports of [0n, 1n, RENT, RENT + 399n]) {
      expect(carries([move(user, service, lamports), move(user, collector, 0n)])).toBe(true);
      expect(carries([move(user, service, lamports)])).toBe(false);
    }
    expect(carries([move(user, service, RENT + 400n), move(user, collector, 0n)])).toBe(false);
  });

  test("charges nothing when a service wallet pays itself, but charges a payment from another service wallet", () => {
    expect(carries([move(service, service, 10n ** 12n)])).toBe(true);
    expect(carries([move(service2, service, RENT + invested)])).toBe(false);
  });

  test("requires a fee for each of two service wallets, each with its own rent minimum", () => {
    const both = [deposit, move(user, service2, RENT + invested)];
    expect(carries([...both, move(user, collector, 2n * due)])).toBe(true);
    expect(carries([...both, move(user, collector, 2n * due - 1n)])).toBe(false);
    expect(carries([deposit, move(user, service2, RENT), move(user, collector, due)])).toBe(true);
  });
});

test("a deposit below the rent minimum owes nothing, and does not lower what another deposit owes", () => {
  const due = (10_000_000n * 25n) / 10_000n;
  const deposits = [move(user, service, RENT + 10_000_000n), move(user, service2, 1n)];
  expect(carries([...deposits, move(user, collector, due)])).toBe(true);
  expect(carries([...deposits, move(user, collector, due - 1n)])).toBe(false);
});
