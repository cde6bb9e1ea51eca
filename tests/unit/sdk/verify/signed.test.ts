import { describe, expect, test } from "vitest";
import type { Reason } from "../../../../lib/domain/not-as-shown";
import { verifySigned } from "../../../../lib/sdk/verify/signed";
import { toBase64 } from "../../../../lib/solana/bytes";
import {
  buildSetComputeUnitLimit,
  buildSetComputeUnitPrice,
  MAX_PRIORITY_FEE_LAMPORTS,
} from "../../../../lib/solana/compute-budget";
import { type InstructionLike, toReadonly, toSigner, toWritable } from "../../../../lib/solana/instructions";
import { buildMemo } from "../../../../lib/solana/memo";
import type { MessageParts } from "../../../../lib/solana/message-v0";
import { LIGHTHOUSE_PROGRAM, SYSTEM_PROGRAM } from "../../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../../lib/solana/system-instructions";
import { createBlockhash } from "../../../support/fakes/fake-deps";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { composeBase64 } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const [WALLET, SERVICE, COLLECTOR, THIEF, TABLE] = ["main", "service", "collector", "thief", "table"].map(
  (name) => toTestWallet(name).address,
) as [string, string, string, string, string];

const SAVING = buildSystemTransfer(WALLET, SERVICE, 700_000n);
const FEE = buildSystemTransfer(WALLET, COLLECTOR, 5_000n);
const NOTE = buildMemo("roundup:1:through:x", WALLET);
const BUILT = [SAVING, FEE, NOTE];

const createTransaction = (instructions: InstructionLike[], overrides: Partial<MessageParts> = {}) =>
  composeBase64(WALLET, instructions, overrides);
const BUILT_TRANSACTION = createTransaction(BUILT);

const createAssertion = (
  tag: number,
  accounts: InstructionLike["accounts"] = [toReadonly(WALLET)],
): InstructionLike => ({ programId: LIGHTHOUSE_PROGRAM, accounts, data: toBase64(Uint8Array.of(tag, 4, 0, 1, 2, 3)) });
const createBudgetInstruction = (tag: number) => ({
  ...buildSetComputeUnitLimit(1),
  data: toBase64(Uint8Array.of(tag, 0, 0, 1, 0)),
});

const findRefusal = (signed: string) => catchReason(() => verifySigned(BUILT_TRANSACTION, signed));

describe("verifySigned accepts a wallet that", () => {
  test("only signs the transaction", () => {
    expect(verifySigned(BUILT_TRANSACTION, BUILT_TRANSACTION)).toBe(0n);
  });

  test("sets a unit limit and price up to the maximum fee", () => {
    const units = 10_000;
    const maxPrice = (MAX_PRIORITY_FEE_LAMPORTS * 1_000_000n) / BigInt(units);
    const withPrice = (price: bigint) =>
      createTransaction([buildSetComputeUnitLimit(units), buildSetComputeUnitPrice(price), ...BUILT]);
    expect(verifySigned(BUILT_TRANSACTION, withPrice(maxPrice))).toBe(MAX_PRIORITY_FEE_LAMPORTS);
    expect(findRefusal(withPrice(maxPrice + 1n))).toBe("network_fee");
  });

  test("replaces the unit limit and price of the build", () => {
    const budget = [buildSetComputeUnitLimit(10_000), buildSetComputeUnitPrice(100_000n)];
    const original = createTransaction([...budget, ...BUILT]);
    const signed = createTransaction([buildSetComputeUnitPrice(200_000n), buildSetComputeUnitLimit(20_000), ...BUILT]);
    // 3,000 lamports for priority, and half a lamport for each added unit.
    expect(verifySigned(original, signed)).toBe(3_000n + 5_000n);
  });

  test.each([2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])(
    "adds Lighthouse assertion %i before, between or after the instructions",
    (tag) => {
      const assertion = createAssertion(tag);
      const strangersAssertion = createAssertion(tag, [toReadonly(THIEF)]);
      expect(findRefusal(createTransaction([assertion, SAVING, strangersAssertion, FEE, NOTE, assertion]))).toBeNull();
    },
  );

  test("adds an assertion about the clock, which does not name an account", () => {
    expect(findRefusal(createTransaction([...BUILT, createAssertion(15, [])]))).toBeNull();
  });
});

describe("verifySigned refuses", () => {
  const savingToCollector = buildSystemTransfer(WALLET, COLLECTOR, 700_000n);
  const feeToService = buildSystemTransfer(WALLET, SERVICE, 5_000n);
  const unaddressedSaving = { ...SAVING, accounts: SAVING.accounts.slice(0, 1) };
  const writingAssertion = createAssertion(5, [toWritable(THIEF)]);
  const comparison = createAssertion(5, [toReadonly(WALLET), toReadonly(SYSTEM_PROGRAM)]);

  test.each<[string, Reason, InstructionLike[]]>([
    ["another transfer", "changed_by_wallet", [...BUILT, buildSystemTransfer(WALLET, COLLECTOR, 1n)]],
    ["the saving twice", "changed_by_wallet", [SAVING, ...BUILT]],
    ["one lamport more", "changed_by_wallet", [buildSystemTransfer(WALLET, SERVICE, 700_001n), FEE, NOTE]],
    ["another recipient", "changed_by_wallet", [buildSystemTransfer(WALLET, THIEF, 700_000n), FEE, NOTE]],
    ["the recipients swapped", "changed_by_wallet", [savingToCollector, feeToService, NOTE]],
    ["another order", "changed_by_wallet", [FEE, SAVING, NOTE]],
    ["a transfer without its recipient", "changed_by_wallet", [unaddressedSaving, FEE, NOTE]],
    ["the saving by another program", "changed_by_wallet", [{ ...SAVING, programId: THIEF }, FEE, NOTE]],
    ["no fee transfer", "changed_by_wallet", [SAVING, NOTE]],
    ["no memo", "changed_by_wallet", [SAVING, FEE]],
    ["another memo", "changed_by_wallet", [SAVING, FEE, buildMemo("roundup:1:through:y", WALLET)]],
    ["an extra memo", "changed_by_wallet", [...BUILT, buildMemo("hello", WALLET)]],
    ["another signer", "other_signer", [...BUILT, createAssertion(5, [toSigner(THIEF)])]],
    ["an assertion that writes to an account", "changed_by_wallet", [...BUILT, writingAssertion]],
    ["an assertion with a second account", "changed_by_wallet", [...BUILT, comparison]],
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
  ])("%s", (_caseName, reason, instructions) => {
    expect(findRefusal(createTransaction(instructions))).toBe(reason);
  });

  test.each<[string, Reason, Parameters<typeof createTransaction>[1]]>([
    ["another payer", "other_signer", { payer: THIEF }],
    ["another blockhash", "changed_by_wallet", { blockhash: createBlockhash(2) }],
    ["hidden accounts in a lookup table", "changed_by_wallet", { lookupTables: { [TABLE]: [SERVICE, COLLECTOR] } }],
  ])("%s", (_caseName, reason, overrides) => {
    expect(findRefusal(createTransaction(BUILT, overrides))).toBe(reason);
  });

  test("bytes that are not a transaction", () => {
    for (const bytes of ["", "?", BUILT_TRANSACTION.slice(0, -8)]) expect(findRefusal(bytes)).toBe("unreadable");
  });
});
