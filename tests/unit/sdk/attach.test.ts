import {
  type AddressLookupTableAccount,
  Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { NotAsShown } from "../../../lib/domain/not-as-shown";
import { computeFee } from "../../../lib/sandbox/chain/fees";
import type { FeeModel } from "../../../lib/sandbox/chain/types";
import { addInstructions, attach } from "../../../lib/sdk/attach";
import { CannotAttach } from "../../../lib/sdk/errors";
import { buildWrap } from "../../../lib/services/build-wrap";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "../../../lib/solana/compute-budget";
import { type InstructionLike, toReadonly } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { ED25519_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { buildCloseAccount } from "../../../lib/solana/token-instructions";
import { toWeb3 } from "../../support/chain/sandbox-rig";
import { parseInput } from "../../support/client/contract-input";
import { createFakeDeps, createSolAccount } from "../../support/fakes/fake-deps";
import { createLookupTable } from "../../support/fixtures/lookup-table";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { buildSignedV1 } from "../../support/fixtures/transaction-v1";

const getAddress = (label: string) => toTestWallet(label).address;
const [USER, SERVICE_WALLET, COLLECTOR] = ["user", "service", "collector"].map(getAddress) as [string, string, string];
const WRAP = [buildSystemTransfer(USER, SERVICE_WALLET, 700_000n), buildSystemTransfer(USER, COLLECTOR, 5_000n)];
const encodeBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const decodeTransaction = (transaction: string) => VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));

function compileMessage(
  version: "legacy" | 0,
  payer: string,
  instructions: TransactionInstruction[],
  tables: AddressLookupTableAccount[] = [],
) {
  const recentBlockhash = getAddress("blockhash");
  const message = new TransactionMessage({ payerKey: new PublicKey(payer), recentBlockhash, instructions });
  return version === 0 ? message.compileToV0Message(tables) : message.compileToLegacyMessage();
}
const encodeMessage = (message: VersionedTransaction["message"]) =>
  encodeBase64(new VersionedTransaction(message).serialize());
const createTransaction = (...parts: Parameters<typeof compileMessage>) => encodeMessage(compileMessage(...parts));

const decompileMessage = (
  message: VersionedTransaction["message"],
  addressLookupTableAccounts: AddressLookupTableAccount[],
) => TransactionMessage.decompile(message, { addressLookupTableAccounts });

const BUILT_IN = new Set([SYSTEM_PROGRAM, ED25519_PROGRAM]);
/** Returns the units that the network grants these instructions without a limit. */
const countDefaultUnits = (instructions: TransactionInstruction[]) =>
  instructions.reduce((sum, { programId }) => sum + (BUILT_IN.has(programId.toBase58()) ? 3_000 : 200_000), 0);

describe("addInstructions", () => {
  const PROGRAMS = ["program 1", "program 2"].map(getAddress);
  const APP_CALL = { programId: TOKEN_PROGRAM, accounts: [], data: "" };
  const SIGNATURE_CHECK = { programId: ED25519_PROGRAM, accounts: [], data: "AAA=" };
  const POOL = [
    USER,
    SERVICE_WALLET,
    COLLECTOR,
    SYSTEM_PROGRAM,
    ...[1, 2, 3, 4, 5].map((i) => getAddress(`pool ${i}`)),
  ];
  const anyAccount = fc.record({ pubkey: fc.constantFrom(...POOL), isSigner: fc.boolean(), isWritable: fc.boolean() });
  const anyAppInstruction = fc.record({
    programId: fc.constantFrom(...PROGRAMS, SYSTEM_PROGRAM),
    accounts: fc.array(anyAccount, { maxLength: 5 }),
    data: fc.uint8Array({ maxLength: 40 }).map(encodeBase64),
  });
  const anyLookupTables = fc
    .tuple(fc.shuffledSubarray(POOL), fc.shuffledSubarray(POOL))
    .map((lists) => lists.map((addresses, i) => createLookupTable(getAddress(`table ${i}`), addresses)));

  test.each(["legacy", 0] as const)(
    "adds the saving at the end of a version %s transaction, without any other change",
    (version) => {
      const property = fc.property(
        fc.constantFrom(USER, getAddress("pool 1"), getAddress("another payer")),
        fc.array(anyAppInstruction, { minLength: 1, maxLength: 4 }),
        anyLookupTables,
        fc.option(fc.string({ maxLength: 40, unit: "grapheme-ascii" }), { nil: null }),
        (payer, instructions, lookupTables, note) => {
          const wrap = [...WRAP, ...(note === null ? [] : [buildMemo(note, USER)])];
          const appMessage = compileMessage(version, payer, instructions.map(toWeb3), lookupTables);
          const limit = buildSetComputeUnitLimit(countDefaultUnits(instructions.map(toWeb3)) + 500);
          const added = [limit, ...wrap].map(toWeb3);
          const allInstructions = [...decompileMessage(appMessage, lookupTables).instructions, ...added];
          const attached = decodeTransaction(addInstructions(encodeMessage(appMessage), wrap, lookupTables, 500));
          // web3.js compiles both sets of instructions into this message. Only its lookup tables may differ.
          const expectedMessage = compileMessage(version, payer, allInstructions, lookupTables);
          expect(attached.version).toBe(version);
          expect(decompileMessage(attached.message, lookupTables)).toEqual(
            decompileMessage(expectedMessage, lookupTables),
          );
          expect(attached.signatures).toEqual(
            expectedMessage.staticAccountKeys
              .slice(0, expectedMessage.header.numRequiredSignatures)
              .map(() => new Uint8Array(64)),
          );

          const staticKeys = attached.message.staticAccountKeys.map((key) => key.toBase58());
          for (const { programId, accounts } of wrap)
            for (const key of [programId, ...accounts.map(({ pubkey }) => pubkey)]) expect(staticKeys).toContain(key);
          for (const lookup of attached.message.addressTableLookups)
            expect(lookup.writableIndexes.length + lookup.readonlyIndexes.length).toBeGreaterThan(0);
          if (version === "legacy")
            expect(attached.message.serialize()).toHaveLength(expectedMessage.serialize().length);
        },
      );
      fc.assert(property, { numRuns: 25 });
    },
  );

  test("keeps the unit price of the app, and adds the units of the saving to its limit", () => {
    const [limit, price, raisedLimit] = [
      buildSetComputeUnitLimit(30_000),
      buildSetComputeUnitPrice(7n),
      buildSetComputeUnitLimit(30_560),
    ].map(toWeb3) as [TransactionInstruction, TransactionInstruction, TransactionInstruction];
    const attached = addInstructions(createTransaction(0, USER, [limit, price]), WRAP, [], 560);
    expect(decompileMessage(decodeTransaction(attached).message, []).instructions.slice(0, 2)).toEqual([
      raisedLimit,
      price,
    ]);
  });

  test.each([
    [30_000, 130_600],
    [1_350_000, 1_400_000],
  ])("raises a limit of %i units to %i at most, whatever the service says", (units, raisedUnits) => {
    const [limit, raisedLimit] = [units, raisedUnits].map((limitUnits) => buildSetComputeUnitLimit(limitUnits));
    const wrap = [...WRAP, buildMemo("note", USER)];
    const attached = decodeTransaction(addInstructions(createTransaction(0, USER, [toWeb3(limit!)]), wrap)).message;
    expect(decompileMessage(attached, []).instructions[0]).toEqual(toWeb3(raisedLimit!));
  });

  test.each<[string, InstructionLike[], FeeModel, bigint]>([
    ["a price", [buildSetComputeUnitPrice(1_000_000n)], "flat", 1_559n],
    ["a price and a signature check", [buildSetComputeUnitPrice(1_000_000n), SIGNATURE_CHECK], "flat", 1_559n],
    ["a price, where units have a fee,", [buildSetComputeUnitPrice(1_000_000n)], "resource-2", 2_700n],
    ["no price, where units have a fee,", [], "resource-2", 1_200n],
  ])("a transaction with %s and no limit pays only for the units of the saving", (_case, budget, model, maxGrowth) => {
    const app = createTransaction(0, USER, [...budget, APP_CALL, ...WRAP].map(toWeb3));
    const attached = addInstructions(app, [...WRAP, buildMemo("through P9", USER)], [], 1_559);
    const [fee, attachedFee] = [app, attached].map((text) => computeFee(decodeTransaction(text).message, model));
    expect(attachedFee! - fee!).toBeGreaterThan(0n);
    expect(attachedFee! - fee!).toBeLessThanOrEqual(maxGrowth);
  });

  test("sets at most the network's maximum for an app without a limit", () => {
    const calls = Array.from({ length: 7 }, () => toWeb3(APP_CALL));
    const { message } = decodeTransaction(addInstructions(createTransaction(0, USER, calls), WRAP, [], 600));
    expect(decompileMessage(message, []).instructions[7]).toEqual(toWeb3(buildSetComputeUnitLimit(1_400_000)));
  });
});

describe("the place of a saving", () => {
  const LIMIT = toWeb3(buildSetComputeUnitLimit(6_000));
  const NOTE = toWeb3(buildMemo("order 7", USER));
  const PAYMENT = toWeb3(buildSystemTransfer(USER, getAddress("shop"), 9n, getAddress("reference")));
  const FUNDING = toWeb3(buildCloseAccount({ account: getAddress("wrapped"), destination: USER, owner: USER }));
  const NONCE = toWeb3({ ...buildSystemTransfer(USER, getAddress("nonce"), 0n), data: "BAAAAA==" });
  const READER = toWeb3({
    programId: getAddress("program"),
    accounts: [toReadonly("Sysvar1nstructions1111111111111111111111111")],
    data: "",
  });
  const PRECOMPILE = toWeb3({ programId: ED25519_PROGRAM, accounts: [], data: "AAA=" });

  test.each<[string, TransactionInstruction[], number]>([
    ["before a payment that ends the transaction", [PAYMENT], 0],
    ["behind what funds the wallet before its payment", [FUNDING, LIMIT, PAYMENT], 2],
    ["before the payment's memo, behind the compute budget", [LIMIT, NOTE, PAYMENT], 1],
    ["behind the nonce, which stays first", [NONCE, LIMIT, PAYMENT], 2],
    ["at the end if the transaction does not end with a payment", [PAYMENT, NOTE], 2],
    ["at the end if a program reads the instructions", [READER, PAYMENT], 2],
    ["at the end if a signature is verified by index", [PRECOMPILE, PAYMENT], 2],
  ])("is %s", (_caseName, instructions, position) => {
    const added = addInstructions(createTransaction(0, USER, instructions), WRAP, [], 600);
    const programs = decompileMessage(decodeTransaction(added).message, []).instructions;
    const missingLimit = toWeb3(buildSetComputeUnitLimit(countDefaultUnits(instructions) + 600));
    const inserted = [...(instructions.includes(LIMIT) ? [] : [missingLimit]), ...WRAP.map(toWeb3)];
    expect(programs.slice(position, position + inserted.length)).toEqual(inserted);
    const rest = programs.toSpliced(position, inserted.length);
    const raisedLimit = toWeb3(buildSetComputeUnitLimit(6_600));
    const expected = instructions.map((instruction) => (instruction === LIMIT ? raisedLimit : instruction));
    const toText = ({ programId, data }: TransactionInstruction) => `${programId} ${data.toString("hex")}`;
    expect(rest.map(toText)).toEqual(expected.map(toText));
  });
});

describe("addInstructions with a transaction that it cannot extend", () => {
  const catchRefusal = (...parts: Parameters<typeof addInstructions>) => {
    try {
      addInstructions(...parts);
    } catch (error) {
      if (error instanceof CannotAttach) return error;
      throw error;
    }
    return null;
  };

  test.each(["legacy", 0] as const)("reports the exact number of bytes over 1,232 for version %s", (version) => {
    const createWithNote = (length: number) =>
      createTransaction(version, USER, [toWeb3(buildMemo("x".repeat(length), USER))]);
    const measureAttached = (length: number) =>
      Buffer.from(addInstructions(createWithNote(length), WRAP), "base64").length;
    const longestNote = 200 + 1_232 - measureAttached(200);
    expect(measureAttached(longestNote)).toBe(1_232);
    for (const overrunBytes of [1, 2, 100]) {
      const message = expect.stringContaining(` ${overrunBytes} bytes over the 1232 `);
      expect(catchRefusal(createWithNote(longestNote + overrunBytes), WRAP)).toMatchObject({ overrunBytes, message });
    }
  });

  test("names a lookup table that is missing or too short", () => {
    const tables = [createLookupTable(getAddress("table"), [getAddress("a"), getAddress("b")])];
    const transfers = [toWeb3(buildSystemTransfer(USER, getAddress("b"), 1n))];
    const transaction = createTransaction(0, USER, transfers, tables);
    expect(decodeTransaction(transaction).message.addressTableLookups).toHaveLength(1);
    for (const incomplete of [[], [createLookupTable(getAddress("table"), [getAddress("a")])]]) {
      expect(catchRefusal(transaction, WRAP, incomplete)?.message).toContain(getAddress("table"));
    }
    expect(catchRefusal(transaction, WRAP, tables)).toBeNull();
  });

  test("says that it extends no version 1 transaction", () => {
    const payer = Keypair.generate();
    const transfer = toWeb3(buildSystemTransfer(payer.publicKey.toBase58(), USER, 1n));
    const transaction = encodeBase64(buildSignedV1(getAddress("blockhash"), payer, [transfer], { unitLimit: 600 }));
    expect(catchRefusal(transaction, WRAP)).toMatchObject({
      message: "A saving cannot be attached to a version 1 transaction. Build a legacy or v0 transaction.",
      overrunBytes: null,
    });
  });

  test.each(["", "not base64", "AAAA", encodeBase64(new Uint8Array(1_300))])(
    "refuses %j, which is not a transaction",
    (transaction) => {
      expect(catchRefusal(transaction, WRAP)).toMatchObject({ overrunBytes: null });
    },
  );
});

describe("attach", () => {
  const request = { wallet: USER, serviceWallet: SERVICE_WALLET, purchasesUsd: [27.63], plan: "tree" as const };
  const transaction = createTransaction(0, USER, [toWeb3(buildSystemTransfer(USER, getAddress("shop"), 1n))]);
  const createWrap = (txValueUsd = 27.63) => {
    const deps = createFakeDeps();
    for (const wallet of [USER, SERVICE_WALLET]) deps.chain.accounts.set(wallet, createSolAccount(10n ** 10n));
    const input = { userPubkey: USER, serviceWalletPubkey: SERVICE_WALLET, txValueUsd, plan: "tree" };
    return buildWrap(deps, parseInput(buildWrapContract, input));
  };

  test("appends the requested saving", async () => {
    const wrap = await createWrap();
    expect(attach(transaction, wrap, request)).toBe(addInstructions(transaction, wrap.instructions));
  });

  test("returns the transaction unchanged for a skipped saving", async () => {
    expect(attach(transaction, await createWrap(5), { ...request, purchasesUsd: [5] })).toBe(transaction);
  });

  test("refuses a saving with an extra transfer", async () => {
    const wrap = await createWrap();
    const instructions = [...wrap.instructions, buildSystemTransfer(USER, getAddress("thief"), 1n)];
    expect(() => attach(transaction, { ...wrap, instructions }, request)).toThrow(NotAsShown);
  });
});
