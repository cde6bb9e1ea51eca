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
import { buildSystemTransfer, readSystemMovements, type SystemMovement } from "../../../lib/solana/system-instructions";
import { composeTransaction, decodeTransaction, resolveAccountKeys } from "../../../lib/solana/transactions";
import { encodeLookupTable } from "../../support/fixtures/lookup-table";

const publicKeys = Array.from({ length: 5 }, (_, i) => Keypair.fromSeed(new Uint8Array(32).fill(i + 1)).publicKey);
const addressAt = (index: number) => publicKeys[index]!.toBase58();
const [user, service, collector] = [addressAt(0), addressAt(1), addressAt(2)];
const [stranger, blockhash] = [addressAt(3), addressAt(4)];
const createMovement = (from: string, to: string, lamports: bigint): SystemMovement => ({ from, to, lamports });

const buildV0 = (...instructions: TransactionInstruction[]) => {
  const message = new TransactionMessage({ payerKey: publicKeys[0]!, recentBlockhash: blockhash, instructions });
  return new VersionedTransaction(message.compileToV0Message()).serialize();
};
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
  const createTransfer = (to: string, lamports: bigint) =>
    SystemProgram.transfer({ fromPubkey: toPublicKey(user), toPubkey: toPublicKey(to), lamports });
  const createWithSeed = (base: string, seed: string) =>
    SystemProgram.createAccountWithSeed({
      fromPubkey: toPublicKey(user),
      newAccountPubkey: toPublicKey(service),
      basePubkey: toPublicKey(base),
      seed,
      lamports: 12,
      space: 0,
      programId: toPublicKey(stranger),
    });

  test.each([
    ["legacy", buildLegacy],
    ["v0", buildV0],
  ] as const)("finds every top-level transfer in a %s message, up to the largest amount", (_caseName, build) => {
    const maxLamports = 2n ** 64n - 1n;
    expect(readMovements(build(createTransfer(service, 0n), createTransfer(collector, maxLamports)))).toEqual([
      createMovement(user, service, 0n),
      createMovement(user, collector, maxLamports),
    ]);
  });

  test("counts createAccount, createAccountWithSeed, transferWithSeed and nonceWithdraw as movements", () => {
    const accountCreation = SystemProgram.createAccount({
      fromPubkey: toPublicKey(user),
      newAccountPubkey: toPublicKey(service),
      lamports: 11,
      space: 165,
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
    const nonceWithdrawal = SystemProgram.nonceWithdraw({
      noncePubkey: toPublicKey(stranger),
      authorizedPubkey: toPublicKey(user),
      toPubkey: toPublicKey(service),
      lamports: 14,
    });
    for (const build of [buildLegacy, buildV0]) {
      const expectMovement = (instruction: TransactionInstruction, lamports: bigint) =>
        expect(readMovements(build(instruction))).toEqual([createMovement(user, service, lamports)]);
      expectMovement(nonceWithdrawal, 14n);
      expectMovement(accountCreation, 11n);
      for (const seed of ["", "s", "x".repeat(32)])
        for (const base of [user, stranger]) expectMovement(createWithSeed(base, seed), 12n);
      // The base account signs for the seeded account, so the base account pays.
      expectMovement(transferWithSeed, 13n);
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
    const otherProgramsTransfer = createTransfer(service, 5n);
    otherProgramsTransfer.programId = toPublicKey(stranger);
    const allocate = SystemProgram.allocate({ accountPubkey: toPublicKey(user), space: 100 });
    const assign = SystemProgram.assign({ accountPubkey: toPublicKey(user), programId: toPublicKey(stranger) });
    expect(readMovements(buildV0(otherProgramsTransfer, allocate, assign))).toEqual([]);
  });

  test("ignores a System instruction with truncated data or missing accounts without throwing", () => {
    const readTruncated = (source: TransactionInstruction, length: number) => {
      const instruction = { ...source, data: source.data.subarray(0, length) } as TransactionInstruction;
      return readMovements(buildV0(instruction));
    };
    const seededCreation = createWithSeed(user, "seed");
    for (let length = 0; length < 12; length++) expect(readTruncated(createTransfer(service, 5n), length)).toEqual([]);
    for (let length = 0; length < 56; length++) expect(readTruncated(seededCreation, length)).toEqual([]);
    const withoutRecipient = createTransfer(service, 5n);
    withoutRecipient.keys = withoutRecipient.keys.slice(0, 1);
    expect(readMovements(buildV0(withoutRecipient))).toEqual([]);
    const longSeed = { ...seededCreation, data: Buffer.from(seededCreation.data) } as TransactionInstruction;
    longSeed.data.fill(0xff, 36, 44);
    expect(readMovements(buildV0(longSeed))).toEqual([]);
  });
});
