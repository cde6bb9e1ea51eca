import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "../../../lib/solana/bytes";
import {
  buildSetComputeUnitLimit,
  buildSetComputeUnitPrice,
  readUnitLimit,
  readUnitPrice,
} from "../../../lib/solana/compute-budget";
import {
  type DecodedInstruction,
  type InstructionLike,
  toReadonly,
  toWritable,
} from "../../../lib/solana/instructions";
import { buildMemo, readMemo } from "../../../lib/solana/memo";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readInstructions, readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer, readSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildRevoke,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
  readCloseAccount,
  readOpenAccount,
  readSyncNative,
  readTransferChecked,
} from "../../../lib/solana/token-instructions";
import { composeTransaction, TransactionFault } from "../../../lib/solana/transactions";

const createAddress = (byte: number) => bs58.encode(new Uint8Array(32).fill(byte));
const [WALLET, OTHER, MINT, ACCOUNT] = [1, 2, 3, 4].map(createAddress) as [string, string, string, string];
const openInstruction = buildCreateAssociatedTokenAccount({ payer: WALLET, owner: WALLET, mint: MINT });

const toReadInstruction = ({ programId, accounts, data }: InstructionLike): DecodedInstruction => ({
  program: programId,
  accounts: accounts.map(({ pubkey }) => pubkey),
  data: fromBase64(data)!,
});
const amountFields = { mint: MINT, amount: 2n ** 63n, decimals: 8 };
const createTransfer = (program: string) =>
  buildTransferChecked({ source: ACCOUNT, destination: OTHER, authority: WALLET, ...amountFields }, program);

const hookedTransfer = createTransfer(TOKEN_2022_PROGRAM);
hookedTransfer.accounts.push(toReadonly(OTHER));
const solTransfer = buildSystemTransfer(WALLET, OTHER, 7n);

const READERS = {
  readSystemTransfer,
  readTransferChecked,
  readCloseAccount,
  readSyncNative,
  readOpenAccount,
  readUnitLimit,
  readUnitPrice,
  readMemo: (instruction: DecodedInstruction) => readMemo(instruction, WALLET),
};

const ownTokenAccount = deriveAssociatedTokenAddress(WALLET, MINT);
const CASES: [keyof typeof READERS, InstructionLike, unknown][] = [
  ["readSystemTransfer", solTransfer, { from: WALLET, to: OTHER, lamports: 7n }],
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
    openInstruction,
    { payer: WALLET, account: ownTokenAccount, owner: WALLET, mint: MINT, tokenProgram: TOKEN_PROGRAM },
  ],
  ["readSyncNative", { programId: TOKEN_PROGRAM, accounts: [toWritable(ACCOUNT)], data: "EQ==" }, { account: ACCOUNT }],
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
    ["a transfer with a hook's further accounts", hookedTransfer],
    ["the recovery of a nested account", { ...openInstruction, data: "Ag==" }],
    ["a transfer by another program", { ...solTransfer, programId: OTHER }],
    ["a transfer with a byte too many", { ...solTransfer, data: btoa(`${atob(solTransfer.data)}\0`) }],
    ["a memo that another wallet signs", buildMemo("x", OTHER)],
    ["a memo that is not UTF-8", { ...buildMemo("x", WALLET), data: "/w==" }],
  ])("all refuse %s", (_caseName, instruction) => {
    for (const [reader, read] of Object.entries(READERS))
      expect(read(toReadInstruction(instruction)), reader).toBeNull();
  });
});

describe("readTransaction", () => {
  const composeBase64 = (instructions: InstructionLike[], lookupTables = {}) =>
    toBase64(composeTransaction({ payer: WALLET, instructions, blockhash: createAddress(9), lookupTables }).bytes);

  test("returns signers, instructions and the bounds of the network fee", () => {
    const budget = [buildSetComputeUnitLimit(100_000), buildSetComputeUnitPrice(15n)];
    const result = readTransaction(composeBase64([...budget, solTransfer]));
    expect(result.signers).toEqual([WALLET]);
    expect(result.instructions.map(readSystemTransfer)[2]).toEqual({ from: WALLET, to: OTHER, lamports: 7n });
    expect(result.priorityFeeLamports).toBe(2n);
    // 720 for the signature, 600 for two writable accounts, 7 for 26 bytes of data, the limit, and 16,384 for 64 MiB.
    expect(result.costUnits).toBe(720 + 600 + 7 + 100_000 + 16_384);
    expect(result.highestFeeLamports).toBe(5_000n + 58_856n + 2n);
  });

  test("applies the unit price to the maximum number of units without a limit", () => {
    expect(readTransaction(composeBase64([buildSetComputeUnitPrice(1_000_000n)])).priorityFeeLamports).toBe(1_400_000n);
  });

  test("returns null for an account of a lookup table", () => {
    const [transfer] = readTransaction(composeBase64([solTransfer], { [MINT]: [OTHER] })).instructions;
    expect(readSystemTransfer(transfer!)).toEqual({ from: WALLET, to: null, lamports: 7n });
  });

  test.each([
    ["not base64", "§"],
    ["not a transaction", "AAAA"],
  ])("refuses %s", (_caseName, text) => {
    expect(() => readTransaction(text)).toThrow(TransactionFault);
  });

  test("refuses a program that is not in the message itself", () => {
    const message = { compiledInstructions: [{ programIdIndex: 3, accountKeyIndexes: [], data: new Uint8Array() }] };
    expect(() => readInstructions(message as never, [WALLET])).toThrow(TransactionFault);
  });
});
