import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import { fromBase64 } from "../../../lib/solana/bytes";
import {
  buildSetComputeUnitLimit,
  buildSetComputeUnitPrice,
  readUnitLimit,
  readUnitPrice,
} from "../../../lib/solana/compute-budget";
import { computeNetworkFee } from "../../../lib/solana/fees";
import { type InstructionLike, type ReadInstruction, readonly } from "../../../lib/solana/instructions";
import { buildMemo, readMemo } from "../../../lib/solana/memo";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readInstructions, readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer, readSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
  readCloseAccount,
  readOpenAccount,
  readSyncNative,
  readTransferChecked,
} from "../../../lib/solana/token-instructions";
import { composeTransaction, TransactionFault } from "../../../lib/solana/transactions";
import { buildRevoke } from "../../support/chain/revoke";

const createAddress = (byte: number) => bs58.encode(new Uint8Array(32).fill(byte));
const [WALLET, OTHER, MINT, ACCOUNT] = [1, 2, 3, 4].map(createAddress) as [string, string, string, string];

const toReadInstruction = ({ programId, accounts, data }: InstructionLike): ReadInstruction => ({
  program: programId,
  accounts: accounts.map(({ pubkey }) => pubkey),
  data: fromBase64(data)!,
});
const amountFields = { mint: MINT, amount: 2n ** 63n, decimals: 8 };
const createTransfer = (program: string) =>
  buildTransferChecked({ source: ACCOUNT, destination: OTHER, authority: WALLET, ...amountFields }, program);

const READERS = {
  readSystemTransfer,
  readTransferChecked,
  readCloseAccount,
  readSyncNative,
  readOpenAccount,
  readUnitLimit,
  readUnitPrice,
  readMemo: (instruction: ReadInstruction) => readMemo(instruction, WALLET),
};

const ownTokenAccount = deriveAssociatedTokenAddress(WALLET, MINT);
const CASES: [keyof typeof READERS, InstructionLike, unknown][] = [
  ["readSystemTransfer", buildSystemTransfer(WALLET, OTHER, 7n), { from: WALLET, to: OTHER, lamports: 7n }],
  [
    "readTransferChecked",
    createTransfer(TOKEN_PROGRAM),
    { program: TOKEN_PROGRAM, source: ACCOUNT, destination: OTHER, authority: WALLET, ...amountFields },
  ],
  [
    "readCloseAccount",
    buildCloseAccount({ account: ACCOUNT, destination: OTHER, owner: WALLET }, TOKEN_2022_PROGRAM),
    { account: ACCOUNT, destination: OTHER, owner: WALLET },
  ],
  [
    "readOpenAccount",
    buildCreateAssociatedTokenAccount({ payer: WALLET, owner: WALLET, mint: MINT }),
    { payer: WALLET, account: ownTokenAccount, owner: WALLET, mint: MINT, tokenProgram: TOKEN_PROGRAM },
  ],
  [
    "readSyncNative",
    { programId: TOKEN_PROGRAM, accounts: [{ pubkey: ACCOUNT, isSigner: false, isWritable: true }], data: "EQ==" },
    { account: ACCOUNT },
  ],
  ["readUnitLimit", buildSetComputeUnitLimit(90_000), 90_000],
  ["readUnitPrice", buildSetComputeUnitPrice(12n), 12n],
  ["readMemo", buildMemo("roundup: grüße", WALLET), "roundup: grüße"],
];

describe("the readers", () => {
  test.each(CASES)("accept an instruction for %s with that reader only", (name, instruction, expected) => {
    for (const [reader, read] of Object.entries(READERS)) {
      expect(read(toReadInstruction(instruction)), reader).toEqual(reader === name ? expected : null);
    }
  });

  test.each<[string, InstructionLike]>([
    ["an approval", buildApproveChecked({ account: ACCOUNT, delegate: OTHER, owner: WALLET, ...amountFields })],
    ["a revocation", buildRevoke({ account: ACCOUNT, owner: WALLET })],
    ["a transfer with a hook's further accounts", { ...createTransfer(TOKEN_2022_PROGRAM), ...withAccount(OTHER) }],
    ["the recovery of a nested account", createNestedRecovery()],
    ["a transfer by another program", { ...buildSystemTransfer(WALLET, OTHER, 7n), programId: OTHER }],
    ["a transfer with a byte too many", appendByte(buildSystemTransfer(WALLET, OTHER, 7n))],
    ["a memo that another wallet signs", buildMemo("x", OTHER)],
    ["a memo that is not UTF-8", { ...buildMemo("x", WALLET), data: "/w==" }],
  ])("all refuse %s", (_what, instruction) => {
    for (const [reader, read] of Object.entries(READERS))
      expect(read(toReadInstruction(instruction)), reader).toBeNull();
  });
});

function withAccount(pubkey: string) {
  return { accounts: [...createTransfer(TOKEN_2022_PROGRAM).accounts, readonly(pubkey)] };
}

function createNestedRecovery(): InstructionLike {
  const open = buildCreateAssociatedTokenAccount({ payer: WALLET, owner: WALLET, mint: MINT });
  return { ...open, data: "Ag==" };
}

function appendByte(instruction: InstructionLike): InstructionLike {
  return { ...instruction, data: btoa(`${atob(instruction.data)}\0`) };
}

describe("readTransaction", () => {
  const compose = (instructions: InstructionLike[], lookupTables = {}) =>
    composeTransaction({ payer: WALLET, instructions, blockhash: createAddress(9), lookupTables });
  const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

  test("returns signers, instructions and the highest possible network fee", () => {
    const { bytes } = compose([
      buildSetComputeUnitLimit(100_000),
      buildSetComputeUnitPrice(15n),
      buildSystemTransfer(WALLET, OTHER, 1n),
    ]);
    const read = readTransaction(base64(bytes));
    expect(read.signers).toEqual([WALLET]);
    expect(read.instructions.map(readSystemTransfer)[2]).toEqual({ from: WALLET, to: OTHER, lamports: 1n });
    expect(read.networkFeeLamports).toBe(5_002n);
  });

  test("applies the unit price to the maximum number of units without a limit", () => {
    const { bytes } = compose([buildSetComputeUnitPrice(1_000_000n)]);
    expect(readTransaction(base64(bytes)).networkFeeLamports).toBe(computeNetworkFee(1, 1_400_000, 1_000_000n));
    expect(computeNetworkFee(1, 1_400_000, 1_000_000n)).toBe(1_405_000n);
  });

  test("returns null for an account of a lookup table", () => {
    const { bytes } = compose([buildSystemTransfer(WALLET, OTHER, 1n)], { [MINT]: [OTHER] });
    const [transfer] = readTransaction(base64(bytes)).instructions;
    expect(readSystemTransfer(transfer!)).toEqual({ from: WALLET, to: null, lamports: 1n });
  });

  test.each([
    ["not base64", "§"],
    ["not a transaction", "AAAA"],
  ])("refuses %s", (_what, text) => {
    expect(() => readTransaction(text)).toThrow(TransactionFault);
  });

  test("refuses a program that is not in the message itself", () => {
    const message = { compiledInstructions: [{ programIdIndex: 3, accountKeyIndexes: [], data: new Uint8Array() }] };
    expect(() => readInstructions(message as never, [WALLET])).toThrow(TransactionFault);
  });
});
