import {
  Keypair,
  MessageV0,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { carriesFee } from "../../../lib/domain/fee-policy";
import { toBase64 } from "../../../lib/solana/bytes";
import { MAX_TRANSACTION_BYTES } from "../../../lib/solana/message-v0";
import { createSystemTransfer, isDurableNonce, readSystemMovements } from "../../../lib/solana/system-instructions";
import {
  composeTransaction,
  decodeTransaction,
  listLookupTables,
  resolveAccountKeys,
  TransactionFault,
} from "../../../lib/solana/transactions";
import { lookupTableData } from "../../support/fixtures/lookup-table";

const keypairs = Array.from({ length: 12 }, (_, i) => Keypair.fromSeed(new Uint8Array(32).fill(i + 1)));
const addresses = keypairs.map(({ publicKey }) => publicKey.toBase58());
const [payer, service, collector] = addresses as [string, string, string];
const blockhash = bs58.encode(new Uint8Array(32).fill(42));
const wrap = [createSystemTransfer(payer, service, 650_240n), createSystemTransfer(payer, collector, 12_333n)];
const composed = composeTransaction({ payer, instructions: wrap, blockhash }).bytes;

describe("composeTransaction", () => {
  test("returns the message that a wallet signs", () => {
    const { bytes, message } = composeTransaction({ payer, instructions: wrap, blockhash });
    const signed = VersionedTransaction.deserialize(bytes);
    signed.sign([keypairs[0]!]);
    const { signatures, signers } = decodeTransaction(signed.serialize());
    expect(nacl.sign.detached.verify(message, signatures[0]!, signers[0]!)).toBe(true);
  });

  test("encodes a transfer byte for byte like web3.js", () => {
    const property = fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (lamports) => {
      const [from, to] = [new PublicKey(payer), new PublicKey(service)];
      const expected = SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });
      const { programId, accounts, data } = createSystemTransfer(payer, service, lamports);
      expect(programId).toBe(expected.programId.toBase58());
      expect(accounts).toEqual(expected.keys.map((key) => ({ ...key, pubkey: key.pubkey.toBase58() })));
      expect(data).toBe(Buffer.from(expected.data).toString("base64"));
    });
    fc.assert(property, { numRuns: 30 });
  });

  test("throws RangeError for more than 1,232 bytes, and for invalid base64 data", () => {
    const filled = (length: number) => [{ programId: service, accounts: [], data: toBase64(new Uint8Array(length)) }];
    const room =
      MAX_TRANSACTION_BYTES - composeTransaction({ payer, instructions: filled(200), blockhash }).bytes.length;
    expect(composeTransaction({ payer, instructions: filled(200 + room), blockhash }).bytes.length).toBe(1_232);
    expect(() => composeTransaction({ payer, instructions: filled(201 + room), blockhash })).toThrow(RangeError);
    expect(() => composeTransaction({ payer, instructions: filled(5_000), blockhash })).toThrow(RangeError);
    const unreadable = [{ programId: service, accounts: [], data: "A" }];
    expect(() => composeTransaction({ payer, instructions: unreadable, blockhash })).toThrow(RangeError);
  });
});

describe("decodeTransaction", () => {
  const refused = (bytes: Uint8Array) => {
    try {
      decodeTransaction(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(TransactionFault);
      return (error as TransactionFault).message;
    }
    return expect.unreachable("was taken");
  };

  const transfer = SystemProgram.transfer({
    fromPubkey: new PublicKey(payer),
    toPubkey: new PublicKey(service),
    lamports: 1,
  });
  const legacy = (...instructions: TransactionInstruction[]) => {
    const transaction = new Transaction({ feePayer: new PublicKey(payer), blockhash, lastValidBlockHeight: 1 });
    return Uint8Array.from(transaction.add(...instructions).serialize({ requireAllSignatures: false }));
  };
  const v0 = (...instructions: TransactionInstruction[]) =>
    new VersionedTransaction(
      new TransactionMessage({
        payerKey: new PublicKey(payer),
        recentBlockhash: blockhash,
        instructions,
      }).compileToV0Message(),
    ).serialize();

  test("reads a legacy transaction with its message and signers", () => {
    const bytes = legacy(transfer);
    const { message, signers, decoded } = decodeTransaction(bytes);
    expect(decoded.version).toBe("legacy");
    expect(message).toEqual(bytes.subarray(65));
    expect(signers.map((key) => bs58.encode(key))).toEqual([payer]);
    expect(listLookupTables(decoded)).toEqual([]);
    expect(resolveAccountKeys(decoded, [])).toEqual([payer, service, SystemProgram.programId.toBase58()]);
  });

  test("lists several signers in the order of their signatures", () => {
    const second = SystemProgram.transfer({
      fromPubkey: keypairs[3]!.publicKey,
      toPubkey: new PublicKey(service),
      lamports: 1,
    });
    for (const bytes of [v0(transfer, second), legacy(transfer, second)]) {
      const { signers, signatures, message } = decodeTransaction(bytes);
      expect(signers.map((key) => bs58.encode(key))).toEqual([payer, addresses[3]]);
      expect(signatures).toHaveLength(2);
      expect(message).toEqual(bytes.subarray(1 + 2 * 64));
    }
  });

  // After one signature: the version, a 3-byte header, then the number of keys.
  const keyCount = 1 + 64 + 4;
  const longerKeyCount = [...composed.subarray(0, keyCount), 0x84, 0x00, ...composed.subarray(keyCount + 1)];
  const withVersion = (version: number) => composed.with(65, version);

  test.each<[string, Uint8Array, RegExp?]>([
    ["version 1", Uint8Array.of(0x81), /version 1/i],
    ["version 1 before a transaction", Uint8Array.of(0x81, ...composed), /version 1/i],
    ["version 1 of any length", new Uint8Array(4_096).fill(0x81), /version 1/i],
    ["one byte more than the network accepts", new Uint8Array(1_233).fill(1), /1233 bytes.*1232/],
    ["many more bytes than the network accepts", new Uint8Array(100_000), /100000/],
    ["a byte after the end", Uint8Array.of(...composed, 0)],
    ["bytes after the end of a legacy transaction", Uint8Array.of(...legacy(transfer), 0, 1, 2)],
    ["a number of keys that is encoded longer than necessary", Uint8Array.from(longerKeyCount)],
    ["a number of signatures that is encoded longer than necessary", Uint8Array.of(0x81, 0, ...composed.subarray(1))],
    ["message version 1", withVersion(0x81)],
    ["message version 2", withVersion(0x82)],
    ["message version 127", withVersion(0xff)],
    ["one signature more than required", Uint8Array.of(2, ...new Uint8Array(128), ...composed.subarray(65))],
    ["one signature fewer than required", Uint8Array.of(0, ...composed.subarray(65))],
  ])("refuses %s", (_what, bytes, message = /./) => {
    expect([composed[65], composed[keyCount]]).toEqual([0x80, 4]);
    expect(refused(bytes)).toMatch(message);
  });

  test("refuses empty input and any truncation of a real transaction", () => {
    for (let length = 0; length < composed.length; length++) refused(composed.subarray(0, length));
  });

  test("refuses a header without signers, or with more signers than keys", () => {
    const header = (required: number) => {
      const message = new MessageV0({
        header: { numRequiredSignatures: required, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
        staticAccountKeys: required === 0 ? [new PublicKey(payer)] : [],
        recentBlockhash: blockhash,
        compiledInstructions: [],
        addressTableLookups: [],
      }).serialize();
      return Uint8Array.of(required, ...new Uint8Array(64 * required), ...message);
    };
    refused(header(0));
    expect(refused(header(1))).toMatch(/one signature for each required signer/);
    expect(refused(header(3))).toMatch(/one signature for each required signer/);
  });

  const advance = SystemProgram.nonceAdvance({
    noncePubkey: new PublicKey(service),
    authorizedPubkey: new PublicKey(payer),
  });
  const alike = new TransactionInstruction({
    programId: new PublicKey(collector),
    keys: [],
    data: Buffer.from([4, 0, 0, 0]),
  });

  test.each<[string, boolean, Uint8Array]>([
    ["a nonce instruction in a version 0 transaction", true, v0(advance, transfer)],
    ["a nonce instruction in a legacy transaction", true, legacy(advance, transfer)],
    ["the same data for another program", false, v0(alike, transfer)],
    ["the same data for another program in a legacy transaction", false, legacy(alike, transfer)],
    ["a nonce instruction in a later position", false, v0(transfer, advance)],
  ])("reads %s as a durable nonce: %s", (_what, isNonce, bytes) => {
    expect(isDurableNonce(decodeTransaction(bytes).decoded)).toBe(isNonce);
  });
});

describe("resolveAccountKeys", () => {
  const table = addresses[10]!;
  const { bytes } = composeTransaction({
    payer,
    instructions: wrap,
    blockhash,
    lookupTables: { [table]: [service, collector] },
  });
  const { decoded } = decodeTransaction(bytes);

  test("resolves the wrap's two recipients from the table", () => {
    expect(listLookupTables(decoded)).toEqual([table]);
    const keys = resolveAccountKeys(decoded, [lookupTableData([service, collector])]);
    expect(keys).toEqual([payer, SystemProgram.programId.toBase58(), service, collector]);
  });

  test.each([
    ["the table does not exist", [null]],
    ["no table was read", []],
    ["the table is too short", [lookupTableData([service])]],
    ["the account is no table", [new Uint8Array(165)]],
    ["the account is empty", [new Uint8Array(0)]],
    ["the table's data is cut within an address", [lookupTableData([service, collector]).subarray(0, 100)]],
  ])("returns null when %s", (_what, tables) => {
    expect(resolveAccountKeys(decoded, tables)).toBeNull();
  });
});

describe("random input", () => {
  /** Runs every step that handles a transaction's bytes before the network sees them. */
  function walkThrough(bytes: Uint8Array, table: Uint8Array): void {
    let transaction: ReturnType<typeof decodeTransaction>;
    try {
      transaction = decodeTransaction(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(TransactionFault);
      return;
    }
    const { decoded, signers, signatures } = transaction;
    expect(signers.length).toBe(signatures.length);
    const tables = listLookupTables(decoded).map(() => table);
    const movements = readSystemMovements(decoded, resolveAccountKeys(decoded, tables) ?? []);
    const isService = (address: string) => address === service;
    const isCollector = (address: string) => address === collector;
    expect(typeof carriesFee(movements, isService, isCollector, 0n)).toBe("boolean");
  }

  test("is decoded or throws TransactionFault, for random bytes", () => {
    const property = fc.property(fc.uint8Array({ maxLength: 1_300 }), fc.uint8Array({ maxLength: 200 }), walkThrough);
    fc.assert(property, { numRuns: 500 });
  });

  test("is decoded or throws TransactionFault, for real transactions with changed bytes", () => {
    const { bytes: withTable } = composeTransaction({
      payer,
      instructions: [...wrap, { programId: service, accounts: [], data: toBase64(new Uint8Array(50)) }],
      blockhash,
      lookupTables: { [addresses[10]!]: [service, collector] },
    });
    const edit = fc.record({ at: fc.nat(400), cut: fc.nat(3), put: fc.uint8Array({ maxLength: 3 }) });
    const sound = lookupTableData([service, collector]);
    const property = fc.property(
      fc.constantFrom(composed, withTable),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      (bytes, edits) => {
        const edited = Array.from(bytes);
        for (const { at, cut, put } of edits) edited.splice(at % edited.length, cut, ...put);
        walkThrough(Uint8Array.from(edited), sound);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });
});
