import {
  Keypair,
  MessageV0,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { carriesFee } from "../../../lib/domain/fee-policy";
import { toBase64 } from "../../../lib/solana/bytes";
import { MAX_TRANSACTION_BYTES } from "../../../lib/solana/message-v0";
import { buildSystemTransfer, isDurableNonce, readSystemMovements } from "../../../lib/solana/system-instructions";
import {
  composeTransaction,
  decodeTransaction,
  listLookupTables,
  resolveAccountKeys,
  TransactionFault,
} from "../../../lib/solana/transactions";
import { buildPayment, buildSigned, toWeb3 } from "../../support/chain/sandbox-rig";
import { encodeLookupTable } from "../../support/fixtures/lookup-table";

const keypairs = Array.from({ length: 12 }, (_, i) => Keypair.fromSeed(new Uint8Array(32).fill(i + 1)));
const addresses = keypairs.map(({ publicKey }) => publicKey.toBase58());
const [payer, service, collector] = addresses as [string, string, string];
const blockhash = bs58.encode(new Uint8Array(32).fill(42));
const wrapInstructions = [
  buildSystemTransfer(payer, service, 650_240n),
  buildSystemTransfer(payer, collector, 12_333n),
];
const wrap = composeTransaction({ payer, instructions: wrapInstructions, blockhash });
const wrapBytes = wrap.bytes;

const table = addresses[10]!;
const tableData = encodeLookupTable([service, collector]);
const lookupTables = { [table]: [service, collector] };
const tableBytes = composeTransaction({ payer, instructions: wrapInstructions, blockhash, lookupTables }).bytes;

test("composeTransaction throws RangeError for more than 1,232 bytes", () => {
  const composeWithData = (length: number) => {
    const instructions = [{ programId: service, accounts: [], data: toBase64(new Uint8Array(length)) }];
    return composeTransaction({ payer, instructions, blockhash }).bytes;
  };
  const maxLength = 200 + MAX_TRANSACTION_BYTES - composeWithData(200).length;
  expect(composeWithData(maxLength)).toHaveLength(1_232);
  for (const length of [maxLength + 1, 5_000]) expect(() => composeWithData(length)).toThrow(RangeError);
});

/** Returns the transaction, or the fault for which it is refused. */
function tryDecode(bytes: Uint8Array) {
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    if (error instanceof TransactionFault) return error;
    throw error;
  }
}

describe("decodeTransaction", () => {
  const expectFault = (bytes: Uint8Array, message = /./) =>
    expect(tryDecode(bytes)).toMatchObject({ message: expect.stringMatching(message) });

  const transfer = buildPayment(keypairs[0]!, service, 1);
  const otherTransfer = buildPayment(keypairs[3]!, service, 1);
  const buildLegacy = (...instructions: TransactionInstruction[]) => {
    const transaction = new Transaction({ feePayer: new PublicKey(payer), blockhash, lastValidBlockHeight: 1 });
    return Uint8Array.from(transaction.add(...instructions).serialize({ requireAllSignatures: false }));
  };
  const buildV0 = (...instructions: TransactionInstruction[]) =>
    buildSigned(blockhash, [keypairs[0]!], instructions).serialize();

  test("reads a legacy transaction with its message and signers", () => {
    const bytes = buildLegacy(transfer);
    const { message, signers, decoded } = decodeTransaction(bytes);
    expect(decoded.version).toBe("legacy");
    expect(message).toEqual(bytes.subarray(65));
    expect(signers.map((key) => bs58.encode(key))).toEqual([payer]);
    expect(listLookupTables(decoded)).toEqual([]);
    expect(resolveAccountKeys(decoded, [])).toEqual([payer, service, SystemProgram.programId.toBase58()]);
  });

  test("lists several signers in the order of their signatures", () => {
    for (const bytes of [buildV0(transfer, otherTransfer), buildLegacy(transfer, otherTransfer)]) {
      const { signers, signatures, message } = decodeTransaction(bytes);
      expect(signers.map((key) => bs58.encode(key))).toEqual([payer, addresses[3]]);
      expect(signatures).toHaveLength(2);
      expect(message).toEqual(bytes.subarray(1 + 2 * 64));
    }
  });

  // The number of keys follows one signature, the version and a header of 3 bytes.
  const keyCountOffset = 1 + 64 + 4;
  const longerKeyCount = Array.from(wrapBytes).toSpliced(keyCountOffset, 1, 0x84, 0x00);
  const withVersion = (version: number) => wrapBytes.with(65, version);

  test.each<[string, Uint8Array, RegExp?]>([
    ["version 1", Uint8Array.of(0x81), /version 1/i],
    ["version 1 before a transaction", Uint8Array.of(0x81, ...wrapBytes), /version 1/i],
    ["version 1 of any length", new Uint8Array(4_096).fill(0x81), /version 1/i],
    ["one byte more than the network accepts", new Uint8Array(1_233).fill(1), /1233 bytes.*1232/],
    ["many more bytes than the network accepts", new Uint8Array(100_000), /100000/],
    ["a byte after the end", Uint8Array.of(...wrapBytes, 0)],
    ["bytes after the end of a legacy transaction", Uint8Array.of(...buildLegacy(transfer), 0, 1, 2)],
    ["a number of keys that is encoded longer than necessary", Uint8Array.from(longerKeyCount)],
    ["a number of signatures that is encoded longer than necessary", Uint8Array.of(0x81, 0, ...wrapBytes.subarray(1))],
    ["message version 1", withVersion(0x81)],
    ["message version 2", withVersion(0x82)],
    ["message version 127", withVersion(0xff)],
    ["one signature more than required", Uint8Array.of(2, ...new Uint8Array(128), ...wrapBytes.subarray(65))],
    ["one signature fewer than required", Uint8Array.of(0, ...wrapBytes.subarray(65))],
  ])("refuses %s", (_caseName, bytes, message) => {
    expect([wrapBytes[65], wrapBytes[keyCountOffset]]).toEqual([0x80, 4]);
    expectFault(bytes, message);
  });

  test("refuses empty input and any truncation of a real transaction", () => {
    for (let length = 0; length < wrapBytes.length; length++) expectFault(wrapBytes.subarray(0, length));
  });

  test("refuses a header without signers or with more signers than keys", () => {
    const buildWithSigners = (required: number) => {
      const message = new MessageV0({
        header: { numRequiredSignatures: required, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
        staticAccountKeys: required === 0 ? [new PublicKey(payer)] : [],
        recentBlockhash: blockhash,
        compiledInstructions: [],
        addressTableLookups: [],
      }).serialize();
      return Uint8Array.of(required, ...new Uint8Array(64 * required), ...message);
    };
    expectFault(buildWithSigners(0));
    for (const required of [1, 3]) expectFault(buildWithSigners(required), /one signature for each required signer/);
  });

  const [payerKey, serviceKey] = [payer, service].map((address) => new PublicKey(address));
  const nonceInstruction = SystemProgram.nonceAdvance({ noncePubkey: serviceKey!, authorizedPubkey: payerKey! });
  const otherProgramInstruction = toWeb3({ programId: collector, accounts: [], data: toBase64(nonceInstruction.data) });

  test.each<[string, boolean, Uint8Array]>([
    ["a nonce instruction in a version 0 transaction", true, buildV0(nonceInstruction, transfer)],
    ["a nonce instruction in a legacy transaction", true, buildLegacy(nonceInstruction, transfer)],
    ["the same data for another program", false, buildV0(otherProgramInstruction, transfer)],
    ["a nonce instruction in a later position", false, buildV0(transfer, nonceInstruction)],
  ])("reads %s as a durable nonce: %s", (_caseName, isNonce, bytes) => {
    expect(isDurableNonce(decodeTransaction(bytes).decoded)).toBe(isNonce);
  });
});

describe("resolveAccountKeys", () => {
  const { decoded } = decodeTransaction(tableBytes);

  test("reads the wrap's two recipients from the lookup table", () => {
    expect(listLookupTables(decoded)).toEqual([table]);
    const keys = resolveAccountKeys(decoded, [tableData]);
    expect(keys).toEqual([payer, SystemProgram.programId.toBase58(), service, collector]);
  });

  test.each([
    ["the table does not exist", [null]],
    ["no table was read", []],
    ["the table is too short", [encodeLookupTable([service])]],
    ["the account is not a lookup table", [new Uint8Array(165)]],
    ["the account is empty", [new Uint8Array(0)]],
    ["the table's data is cut within an address", [tableData.subarray(0, 100)]],
  ])("returns null when %s", (_caseName, tables) => {
    expect(resolveAccountKeys(decoded, tables)).toBeNull();
  });
});

describe("decodeTransaction with random input", () => {
  /** Runs every step that handles a transaction's bytes before the network sees them. */
  function processBytes(bytes: Uint8Array, table: Uint8Array): void {
    const transaction = tryDecode(bytes);
    if (transaction instanceof TransactionFault) return;
    const { decoded, signers, signatures } = transaction;
    expect(signers.length).toBe(signatures.length);
    const tables = listLookupTables(decoded).map(() => table);
    const movements = readSystemMovements(decoded, resolveAccountKeys(decoded, tables) ?? []);
    const isService = (address: string) => address === service;
    const isCollector = (address: string) => address === collector;
    expect(typeof carriesFee(movements, isService, isCollector, 0n)).toBe("boolean");
  }

  test("decodes random bytes or throws TransactionFault", () => {
    const property = fc.property(fc.uint8Array({ maxLength: 1_300 }), fc.uint8Array({ maxLength: 200 }), processBytes);
    fc.assert(property, { numRuns: 500 });
  });

  test("decodes real transactions with changed bytes or throws TransactionFault", () => {
    const anyEdit = fc.record({
      offset: fc.nat(400),
      removedCount: fc.nat(3),
      insertedBytes: fc.uint8Array({ maxLength: 3 }),
    });
    const property = fc.property(
      fc.constantFrom(wrapBytes, tableBytes),
      fc.array(anyEdit, { minLength: 1, maxLength: 4 }),
      (bytes, edits) => {
        const editedBytes = Array.from(bytes);
        for (const { offset, removedCount, insertedBytes } of edits)
          editedBytes.splice(offset % editedBytes.length, removedCount, ...insertedBytes);
        processBytes(Uint8Array.from(editedBytes), tableData);
      },
    );
    fc.assert(property, { numRuns: 800 });
  });
});
