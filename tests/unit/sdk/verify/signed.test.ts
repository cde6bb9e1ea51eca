import { AddressLookupTableAccount, PublicKey, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import type { Reason } from "../../../../lib/domain/not-as-shown";
import { verifySigned } from "../../../../lib/sdk/verify/signed";
import { toBase64 } from "../../../../lib/solana/bytes";
import {
  buildSetComputeUnitLimit,
  buildSetComputeUnitPrice,
  MAX_PRIORITY_FEE_LAMPORTS,
} from "../../../../lib/solana/compute-budget";
import { type InstructionLike, readonly, signer, writable } from "../../../../lib/solana/instructions";
import { buildMemo } from "../../../../lib/solana/memo";
import { LIGHTHOUSE_PROGRAM, SYSTEM_PROGRAM } from "../../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { toWeb3 } from "../../../support/chain/sandbox-rig";
import { createBlockhash } from "../../../support/fakes/fake-deps";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { encodeLookupTable } from "../../../support/fixtures/lookup-table";
import { testWallet } from "../../../support/fixtures/test-wallets";

const [WALLET, SERVICE, COLLECTOR, THIEF, TABLE] = ["main", "service", "collector", "thief", "table"].map(
  (name) => testWallet(name).address,
) as [string, string, string, string, string];

const SAVING = buildSystemTransfer(WALLET, SERVICE, 700_000n);
const FEE = buildSystemTransfer(WALLET, COLLECTOR, 5_000n);
const NOTE = buildMemo("roundup:1:through:x", WALLET);
const BUILT = [SAVING, FEE, NOTE];

const createTransaction = (instructions: InstructionLike[], { payer = WALLET, blockhash = createBlockhash(1) } = {}) =>
  toBase64(composeTransaction({ payer, instructions, blockhash }).bytes);
const BUILT_TRANSACTION = createTransaction(BUILT);

const createAssertion = (tag: number, accounts: InstructionLike["accounts"] = [readonly(WALLET)]): InstructionLike => ({
  programId: LIGHTHOUSE_PROGRAM,
  accounts,
  data: toBase64(Uint8Array.of(tag, 4, 0, 1, 2, 3)),
});
const createBudgetInstruction = (tag: number) => ({
  ...buildSetComputeUnitLimit(1),
  data: toBase64(Uint8Array.of(tag, 0, 0, 1, 0)),
});

const findRefusal = (signed: string) => catchReason(() => verifySigned(BUILT_TRANSACTION, signed));

describe("verifySigned accepts a wallet that", () => {
  test("only signs the transaction", () => {
    expect(verifySigned(BUILT_TRANSACTION, BUILT_TRANSACTION)).toBe(5_000n);
  });

  test("sets a unit limit and price up to the maximum fee", () => {
    const units = 10_000;
    const maxPrice = (MAX_PRIORITY_FEE_LAMPORTS * 1_000_000n) / BigInt(units);
    const withPrice = (price: bigint) =>
      createTransaction([buildSetComputeUnitLimit(units), buildSetComputeUnitPrice(price), ...BUILT]);
    expect(verifySigned(BUILT_TRANSACTION, withPrice(maxPrice))).toBe(5_000n + MAX_PRIORITY_FEE_LAMPORTS);
    expect(findRefusal(withPrice(maxPrice + 1n))).toBe("network_fee");
  });

  test("replaces the unit limit and price of the build", () => {
    const original = createTransaction([
      buildSetComputeUnitLimit(10_000),
      buildSetComputeUnitPrice(100_000n),
      ...BUILT,
    ]);
    const signed = createTransaction([buildSetComputeUnitPrice(200_000n), buildSetComputeUnitLimit(20_000), ...BUILT]);
    expect(verifySigned(original, signed)).toBe(9_000n);
  });

  test.each([2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])(
    "adds Lighthouse assertion %i before, between or after the instructions",
    (tag) => {
      const assertion = createAssertion(tag);
      const strangersAssertion = createAssertion(tag, [readonly(THIEF)]);
      expect(findRefusal(createTransaction([assertion, SAVING, strangersAssertion, FEE, NOTE, assertion]))).toBeNull();
    },
  );

  test("adds an assertion about the clock, which names no account", () => {
    expect(findRefusal(createTransaction([...BUILT, createAssertion(15, [])]))).toBeNull();
  });
});

describe("verifySigned refuses", () => {
  test.each<[string, Reason, InstructionLike[]]>([
    ["another transfer", "changed_by_wallet", [...BUILT, buildSystemTransfer(WALLET, COLLECTOR, 1n)]],
    ["the saving twice", "changed_by_wallet", [SAVING, ...BUILT]],
    ["one lamport more", "changed_by_wallet", [buildSystemTransfer(WALLET, SERVICE, 700_001n), FEE, NOTE]],
    ["another recipient", "changed_by_wallet", [buildSystemTransfer(WALLET, THIEF, 700_000n), FEE, NOTE]],
    [
      "the recipients swapped",
      "changed_by_wallet",
      [buildSystemTransfer(WALLET, COLLECTOR, 700_000n), buildSystemTransfer(WALLET, SERVICE, 5_000n), NOTE],
    ],
    ["another order", "changed_by_wallet", [FEE, SAVING, NOTE]],
    [
      "a transfer without its recipient",
      "changed_by_wallet",
      [{ ...SAVING, accounts: SAVING.accounts.slice(0, 1) }, FEE, NOTE],
    ],
    [
      "the saving as an instruction of another program",
      "changed_by_wallet",
      [{ ...SAVING, programId: THIEF }, FEE, NOTE],
    ],
    ["no fee transfer", "changed_by_wallet", [SAVING, NOTE]],
    ["no memo", "changed_by_wallet", [SAVING, FEE]],
    ["another memo", "changed_by_wallet", [SAVING, FEE, buildMemo("roundup:1:through:y", WALLET)]],
    ["an extra memo", "changed_by_wallet", [...BUILT, buildMemo("hello", WALLET)]],
    ["another signer", "other_signer", [...BUILT, createAssertion(5, [signer(THIEF)])]],
    ["an assertion that writes to an account", "changed_by_wallet", [...BUILT, createAssertion(5, [writable(THIEF)])]],
    [
      "an assertion with a second account",
      "changed_by_wallet",
      [...BUILT, createAssertion(5, [readonly(WALLET), readonly(SYSTEM_PROGRAM)])],
    ],
    ...[0, 1, 4, 16, 17, 18, 255].map((tag): [string, Reason, InstructionLike[]] => [
      `Lighthouse's instruction ${tag}`,
      "changed_by_wallet",
      [...BUILT, createAssertion(tag)],
    ]),
    ["another program", "changed_by_wallet", [...BUILT, { ...createAssertion(5), programId: THIEF }]],
    ["two unit prices", "unknown_instruction", [buildSetComputeUnitPrice(1n), buildSetComputeUnitPrice(1n), ...BUILT]],
    ["an excessive unit price", "network_fee", [buildSetComputeUnitPrice(100_000n), ...BUILT]],
    ["a larger heap", "unknown_instruction", [createBudgetInstruction(1), ...BUILT]],
    ["a limit on loaded data", "unknown_instruction", [createBudgetInstruction(4), ...BUILT]],
  ])("%s", (_what, reason, instructions) => {
    expect(findRefusal(createTransaction(instructions))).toBe(reason);
  });

  test("another payer", () => {
    expect(findRefusal(createTransaction(BUILT, { payer: THIEF }))).toBe("other_signer");
  });

  test("another blockhash", () => {
    expect(findRefusal(createTransaction(BUILT, { blockhash: createBlockhash(2) }))).toBe("changed_by_wallet");
  });

  test("an account that is hidden in a lookup table", () => {
    const parts = {
      payerKey: new PublicKey(WALLET),
      recentBlockhash: createBlockhash(1),
      instructions: BUILT.map(toWeb3),
    };
    const table = new AddressLookupTableAccount({
      key: new PublicKey(TABLE),
      state: AddressLookupTableAccount.deserialize(encodeLookupTable([SERVICE, COLLECTOR])),
    });
    const message = new TransactionMessage(parts).compileToV0Message([table]);
    expect(findRefusal(toBase64(new VersionedTransaction(message).serialize()))).toBe("changed_by_wallet");
  });

  test("bytes that are not a transaction", () => {
    for (const bytes of ["", "?", BUILT_TRANSACTION.slice(0, -8)]) expect(findRefusal(bytes)).toBe("unreadable");
  });
});
