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
import { buildSystemTransfer, readSystemMovements, type SystemMovement } from "../../../lib/solana/system-instructions";
import { composeTransaction, decodeTransaction, resolveAccountKeys } from "../../../lib/solana/transactions";
import { encodeLookupTable } from "../../support/fixtures/lookup-table";

const publicKeys = Array.from({ length: 14 }, (_, i) => Keypair.fromSeed(new Uint8Array(32).fill(i + 1)).publicKey);
const addresses = publicKeys.map((key) => key.toBase58());
const [user, service, service2, collector, collector2, stranger] = addresses as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const blockhash = addresses[13]!;
const RENT = 890_880n;

const isService = (address: string) => address === service || address === service2;
const isCollector = (address: string) => address === collector || address === collector2;
const hasFee = (movements: SystemMovement[], rentMin = RENT) => carriesFee(movements, isService, isCollector, rentMin);
const createMovement = (from: string, to: string, lamports: bigint): SystemMovement => ({ from, to, lamports });

const buildV0 = (...instructions: TransactionInstruction[]) =>
  new VersionedTransaction(
    new TransactionMessage({
      payerKey: publicKeys[0]!,
      recentBlockhash: blockhash,
      instructions,
    }).compileToV0Message(),
  ).serialize();
const buildLegacy = (...instructions: TransactionInstruction[]) => {
  const transaction = new Transaction({ feePayer: publicKeys[0]!, blockhash, lastValidBlockHeight: 1 });
  return Uint8Array.from(transaction.add(...instructions).serialize({ requireAllSignatures: false }));
};

function readMovements(bytes: Uint8Array, tables: Uint8Array[] = []): SystemMovement[] {
  const { decoded } = decodeTransaction(bytes);
  return readSystemMovements(decoded, resolveAccountKeys(decoded, tables)!);
}

describe("readSystemMovements", () => {
  const toPublicKey = (address: string) => new PublicKey(address);
  const transfer = (to: string, lamports: bigint) =>
    SystemProgram.transfer({ fromPubkey: toPublicKey(user), toPubkey: toPublicKey(to), lamports });

  test.each([
    ["legacy", buildLegacy],
    ["v0", buildV0],
  ] as const)("finds every top-level transfer in a %s message, up to the largest amount", (_version, build) => {
    const max = 2n ** 64n - 1n;
    expect(readMovements(build(transfer(service, 0n), transfer(collector, max)))).toEqual([
      createMovement(user, service, 0n),
      createMovement(user, collector, max),
    ]);
  });

  test("counts createAccount, createAccountWithSeed, transferWithSeed and nonceWithdraw as movements", () => {
    const create = SystemProgram.createAccount({
      fromPubkey: toPublicKey(user),
      newAccountPubkey: toPublicKey(service),
      lamports: 11,
      space: 165,
      programId: toPublicKey(stranger),
    });
    const createWithSeed = (basePubkey: PublicKey, seed: string) =>
      SystemProgram.createAccountWithSeed({
        fromPubkey: toPublicKey(user),
        newAccountPubkey: toPublicKey(service),
        basePubkey,
        seed,
        lamports: 12,
        space: 0,
        programId: toPublicKey(stranger),
      });
    const transferWithSeed = SystemProgram.transfer({
      fromPubkey: toPublicKey(stranger),
      basePubkey: toPublicKey(user),
      toPubkey: toPublicKey(service),
      lamports: 13n,
      seed: "any seed",
      programId: SystemProgram.programId,
    });
    const withdraw = SystemProgram.nonceWithdraw({
      noncePubkey: toPublicKey(stranger),
      authorizedPubkey: toPublicKey(user),
      toPubkey: toPublicKey(service),
      lamports: 14,
    });
    for (const build of [buildLegacy, buildV0]) {
      expect(readMovements(build(withdraw))).toEqual([createMovement(user, service, 14n)]);
      expect(readMovements(build(create))).toEqual([createMovement(user, service, 11n)]);
      for (const seed of ["", "s", "x".repeat(32)]) {
        expect(readMovements(build(createWithSeed(toPublicKey(user), seed)))).toEqual([
          createMovement(user, service, 12n),
        ]);
        expect(readMovements(build(createWithSeed(toPublicKey(stranger), seed)))).toEqual([
          createMovement(user, service, 12n),
        ]);
      }
      // The base account signs for the seeded account, so the base account pays.
      expect(readMovements(build(transferWithSeed))).toEqual([createMovement(user, service, 13n)]);
    }
  });

  test("finds recipients in a lookup table", () => {
    const { bytes } = composeTransaction({
      payer: user,
      instructions: [buildSystemTransfer(user, service, 5n), buildSystemTransfer(user, collector, 6n)],
      blockhash,
      lookupTables: { [stranger]: [collector, service] },
    });
    expect(readMovements(bytes, [encodeLookupTable([collector, service])])).toEqual([
      createMovement(user, service, 5n),
      createMovement(user, collector, 6n),
    ]);
  });

  test("ignores other programs' instructions and other System instructions", () => {
    const foreign = transfer(service, 5n);
    foreign.programId = toPublicKey(stranger);
    const allocate = SystemProgram.allocate({ accountPubkey: toPublicKey(user), space: 100 });
    const assign = SystemProgram.assign({ accountPubkey: toPublicKey(user), programId: toPublicKey(stranger) });
    expect(readMovements(buildV0(foreign, allocate, assign))).toEqual([]);
  });

  test("ignores a System instruction with truncated data or missing accounts without throwing", () => {
    const readTruncated = (source: TransactionInstruction, length: number) => {
      const instruction = { ...source, data: source.data.subarray(0, length) } as TransactionInstruction;
      return readMovements(buildV0(instruction));
    };
    const seeded = SystemProgram.createAccountWithSeed({
      fromPubkey: toPublicKey(user),
      newAccountPubkey: toPublicKey(service),
      basePubkey: toPublicKey(user),
      seed: "seed",
      lamports: 12,
      space: 0,
      programId: toPublicKey(stranger),
    });
    for (let length = 0; length < 12; length++) expect(readTruncated(transfer(service, 5n), length)).toEqual([]);
    for (let length = 0; length < 56; length++) expect(readTruncated(seeded, length)).toEqual([]);
    const withoutRecipient = transfer(service, 5n);
    withoutRecipient.keys = withoutRecipient.keys.slice(0, 1);
    expect(readMovements(buildV0(withoutRecipient))).toEqual([]);
    const longSeed = { ...seeded, data: Buffer.from(seeded.data) } as TransactionInstruction;
    longSeed.data.fill(0xff, 36, 44);
    expect(readMovements(buildV0(longSeed))).toEqual([]);
  });
});

describe("carriesFee", () => {
  const invested = 1_000_000n;
  const due = 2_500n;
  const deposit = createMovement(user, service, RENT + invested);

  test("requires no fee when no service wallet receives a deposit", () => {
    expect(hasFee([])).toBe(true);
    expect(hasFee([createMovement(user, stranger, 10n ** 12n)])).toBe(true);
    expect(hasFee([createMovement(service, stranger, 10n ** 12n)])).toBe(true);
  });

  test("refuses a transaction without the fee, even when others are paid", () => {
    expect(hasFee([deposit])).toBe(false);
    expect(hasFee([deposit, createMovement(user, stranger, 10n ** 12n)])).toBe(false);
  });

  test("requires exactly 0.25 % of the deposit above the rent minimum", () => {
    expect(hasFee([deposit, createMovement(user, collector, due)])).toBe(true);
    expect(hasFee([createMovement(user, collector, due), deposit])).toBe(true);
    expect(hasFee([deposit, createMovement(user, collector, due - 1n)])).toBe(false);
  });

  test("accepts a fee in parts, to several collectors, from any payer", () => {
    expect(hasFee([deposit, createMovement(user, collector, due - 1n), createMovement(stranger, collector2, 1n)])).toBe(
      true,
    );
  });

  test("counts a split deposit as one", () => {
    const parts = Array.from({ length: 10 }, () => createMovement(user, service, (RENT + invested) / 10n));
    expect(hasFee([...parts, createMovement(user, collector, due)])).toBe(true);
    expect(hasFee([...parts, createMovement(user, collector, due - 1n)])).toBe(false);
  });

  test("requires a transfer, of 0 lamports or more, even when no fee is due", () => {
    for (const lamports of [0n, 1n, RENT, RENT + 399n]) {
      expect(hasFee([createMovement(user, service, lamports), createMovement(user, collector, 0n)])).toBe(true);
      expect(hasFee([createMovement(user, service, lamports)])).toBe(false);
    }
    expect(hasFee([createMovement(user, service, RENT + 400n), createMovement(user, collector, 0n)])).toBe(false);
  });

  test("requires a fee for a payment from another service wallet, but not from the wallet itself", () => {
    expect(hasFee([createMovement(service, service, 10n ** 12n)])).toBe(true);
    expect(hasFee([createMovement(service2, service, RENT + invested)])).toBe(false);
  });

  test("requires a fee for each of two service wallets, each with its own rent minimum", () => {
    const deposits = [deposit, createMovement(user, service2, RENT + invested)];
    expect(hasFee([...deposits, createMovement(user, collector, 2n * due)])).toBe(true);
    expect(hasFee([...deposits, createMovement(user, collector, 2n * due - 1n)])).toBe(false);
    expect(hasFee([deposit, createMovement(user, service2, RENT), createMovement(user, collector, due)])).toBe(true);
  });
});

test("a deposit below the rent minimum does not lower the fee of another deposit", () => {
  const due = (10_000_000n * 25n) / 10_000n;
  const deposits = [createMovement(user, service, RENT + 10_000_000n), createMovement(user, service2, 1n)];
  expect(hasFee([...deposits, createMovement(user, collector, due)])).toBe(true);
  expect(hasFee([...deposits, createMovement(user, collector, due - 1n)])).toBe(false);
});
