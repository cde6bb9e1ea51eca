import type { Reason } from "../../../lib/domain/not-as-shown";
import type { SwapPlan } from "../../../lib/domain/swap/swap-plan";
import { fromBase64, toBase64 } from "../../../lib/solana/bytes";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "../../../lib/solana/compute-budget";
import { encodeU64, type InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  JUPITER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import {
  BOUGHT_MINT,
  INPUT_LAMPORTS,
  INSTRUCTION_INDEX,
  OUTPUT_UNITS,
  SOLD_MINT,
  TAKER,
  TAKER_BOUGHT_ACCOUNT,
  TAKER_WRAPPED_ACCOUNT,
} from "../fixtures/recorded-swap";
import { toTestWallet } from "../fixtures/test-wallets";

export const THIEF = toTestWallet("thief").address;
const STRANGER_MINT = toTestWallet("stranger mint").address;
const THIEF_BOUGHT_ACCOUNT = deriveAssociatedTokenAddress(THIEF, BOUGHT_MINT);

/** A build that an attacker in control of the aggregator, or of the server, wants the user to sign. */
interface HostileBuild {
  name: string;
  reason: Reason;
  change(plan: SwapPlan): SwapPlan;
}

const createWritableMeta = (pubkey: string, isSigner = false) => ({ pubkey, isSigner, isWritable: true });
const buildCall = (programId: string, keys: string[], ...data: number[]): InstructionLike => ({
  programId,
  accounts: keys.map((key) => createWritableMeta(key, key === TAKER)),
  data: toBase64(Uint8Array.from(data)),
});
const buildSystemCall = (tag: number, keys: string[], ...data: number[]) =>
  buildCall(SYSTEM_PROGRAM, keys, tag, 0, 0, 0, ...data);
const buildTokenCall = (tag: number, keys: string[], ...data: number[]) => buildCall(TOKEN_PROGRAM, keys, tag, ...data);
const boughtTokens = { mint: BOUGHT_MINT, decimals: 6, amount: OUTPUT_UNITS };

const withInstructions = (plan: SwapPlan, instructions: InstructionLike[]): SwapPlan => ({ ...plan, instructions });

/** Describes a build with further instructions at its end. */
const addInstructions = (name: string, reason: Reason, ...extra: InstructionLike[]): HostileBuild => ({
  name,
  reason,
  change: (plan) => withInstructions(plan, [...plan.instructions, ...extra]),
});

/** Describes a build with one instruction replaced. Null removes the instruction. */
const replaceInstruction = (
  name: string,
  reason: Reason,
  index: number,
  change: (instruction: InstructionLike) => InstructionLike | null,
): HostileBuild => ({
  name,
  reason,
  change: (plan) =>
    withInstructions(
      plan,
      plan.instructions.flatMap((instruction, i) => (i === index ? (change(instruction) ?? []) : instruction)),
    ),
});

/** Describes a build with one account of an instruction replaced. */
const replaceAccount = (
  name: string,
  reason: Reason,
  index: number,
  accountIndex: number,
  pubkey: string,
): HostileBuild =>
  replaceInstruction(name, reason, index, (original) => ({
    ...original,
    accounts: original.accounts.map((account, i) => (i === accountIndex ? { ...account, pubkey } : account)),
  }));

/** Describes a swap with one account replaced. */
const replaceSwapAccount = (name: string, reason: Reason, accountIndex: number, pubkey: string) =>
  replaceAccount(name, reason, INSTRUCTION_INDEX.swap, accountIndex, pubkey);

/** Describes a swap with its instruction replaced. Null removes it. */
const replaceSwap = (name: string, reason: Reason, change: (swap: InstructionLike) => InstructionLike | null) =>
  replaceInstruction(name, reason, INSTRUCTION_INDEX.swap, change);

/** Describes a build in which a different program runs an instruction. */
const replaceProgram = (name: string, reason: Reason, index: number, programId: string): HostileBuild =>
  replaceInstruction(name, reason, index, (original) => ({ ...original, programId }));

/** Describes a build with bytes of an instruction's data overwritten. */
const writeData = (index: number, name: string, reason: Reason, offset: number, ...bytes: number[]): HostileBuild =>
  replaceInstruction(name, reason, index, (original) => {
    const data = fromBase64(original.data)!;
    data.set(bytes, offset);
    return { ...original, data: toBase64(data) };
  });

/** Describes a build with bytes of the swap's data overwritten. */
const writeSwapData = (name: string, reason: Reason, offset: number, ...bytes: number[]) =>
  writeData(INSTRUCTION_INDEX.swap, name, reason, offset, ...bytes);

/** Describes a build with an account moved from the message into a lookup table. */
const hideAccount = (name: string, pubkey: string, onlyInstruction?: number): HostileBuild => ({
  name,
  reason: "hidden_account",
  change: (plan) => {
    const instructions =
      onlyInstruction === undefined
        ? plan.instructions
        : plan.instructions.filter((_, i) => i === onlyInstruction || i === INSTRUCTION_INDEX.swap);
    return {
      ...withInstructions(plan, instructions),
      lookupTables: { ...plan.lookupTables, [STRANGER_MINT]: [pubkey] },
    };
  },
});

/** Offsets of the fields in the data of `shared_accounts_route_v2`. Source: field facts in lib/solana/jupiter-swap.ts. */
const INPUT_AMOUNT_OFFSET = 9;
const QUOTED_OUTPUT_OFFSET = 17;
const SLIPPAGE_OFFSET = 25;
const PLATFORM_FEE_OFFSET = 27;
const POSITIVE_SLIPPAGE_OFFSET = 29;

/** Describes the same swap as `route_v2`, with a thief's account as its second destination. */
function redirectRouteV2(secondDestination: string): HostileBuild {
  const name = "route_v2 names the thief's account as its second destination";
  return replaceSwap(name, "tokens_elsewhere", (original) => {
    const { accounts } = original;
    const fields = fromBase64(original.data)!.subarray(9);
    const data = Uint8Array.from([...Buffer.from("bb64facc31c4af14", "hex"), ...fields]);
    const namedAccounts = [1, 2, 5, 6, 7, 8, 9].map((index) => accounts[index]!);
    const newAccounts = [...namedAccounts, createWritableMeta(secondDestination), ...accounts.slice(10)];
    return { ...original, accounts: newAccounts, data: toBase64(data) };
  });
}

/** Describes a build with one more instruction, of a kind that no swap needs. */
const addUnknown = (name: string, instruction: InstructionLike) =>
  addInstructions(name, "unknown_instruction", instruction);

const APPROVAL = buildApproveChecked({ account: TAKER_BOUGHT_ACCOUNT, delegate: THIEF, owner: TAKER, ...boughtTokens });
const buildCloseTo = (account: string, destination: string) =>
  buildCloseAccount({ account, destination, owner: TAKER });
const buildOpenFor = (owner: string, mint: string) => buildCreateAssociatedTokenAccount({ payer: TAKER, owner, mint });

/** Hostile variants of the recorded Jupiter swap. The server must refuse each of them before a client receives it. */
export const HOSTILE_SWAPS: HostileBuild[] = [
  addInstructions("a lamport goes to a thief", "sol_elsewhere", buildSystemTransfer(TAKER, THIEF, 1n)),
  replaceInstruction("the whole input goes to a thief", "sol_elsewhere", INSTRUCTION_INDEX.wrap, () =>
    buildSystemTransfer(TAKER, THIEF, INPUT_LAMPORTS),
  ),
  replaceInstruction("the input goes to a thief's wrapped SOL", "sol_elsewhere", INSTRUCTION_INDEX.wrap, () =>
    buildSystemTransfer(TAKER, deriveAssociatedTokenAddress(THIEF, SOLD_MINT), INPUT_LAMPORTS),
  ),
  addInstructions(
    "the input is wrapped twice",
    "too_much_sol",
    buildSystemTransfer(TAKER, TAKER_WRAPPED_ACCOUNT, INPUT_LAMPORTS),
  ),
  addInstructions("an unknown program gets the wallet as signer", "unknown_program", buildCall(THIEF, [TAKER], 1)),
  addInstructions("an unrequested memo", "unknown_program", buildMemo("hello", TAKER)),
  addUnknown("a delegate may spend the bought tokens", APPROVAL),
  addUnknown("an older approval", buildTokenCall(4, [TAKER_BOUGHT_ACCOUNT, THIEF, TAKER], ...encodeU64(OUTPUT_UNITS))),
  addUnknown(
    "a token account gets a new owner",
    buildTokenCall(6, [TAKER_BOUGHT_ACCOUNT, TAKER], 2, 1, ...new Uint8Array(32)),
  ),
  addUnknown(
    "a thief may close a token account",
    buildTokenCall(6, [TAKER_BOUGHT_ACCOUNT, TAKER], 3, 1, ...new Uint8Array(32)),
  ),
  addUnknown(
    "bought tokens are burnt",
    buildTokenCall(8, [TAKER_BOUGHT_ACCOUNT, BOUGHT_MINT, TAKER], ...encodeU64(1n)),
  ),
  addUnknown("the bought tokens are sent on to a thief", buildTransferTo(THIEF_BOUGHT_ACCOUNT)),
  addUnknown(
    "an older transfer to a thief",
    buildTokenCall(3, [TAKER_BOUGHT_ACCOUNT, THIEF_BOUGHT_ACCOUNT, TAKER], ...encodeU64(1n)),
  ),
  addUnknown("a Token-2022 transfer with a hook's accounts", {
    ...buildTransferTo(THIEF_BOUGHT_ACCOUNT, TOKEN_2022_PROGRAM),
    accounts: [...buildTransferTo(THIEF_BOUGHT_ACCOUNT, TOKEN_2022_PROGRAM).accounts, createWritableMeta(THIEF)],
  }),
  addUnknown("the bought account is closed", buildCloseTo(TAKER_BOUGHT_ACCOUNT, TAKER)),
  replaceInstruction("unwrapped SOL goes to a thief", "deposit_elsewhere", INSTRUCTION_INDEX.close, () =>
    buildCloseTo(TAKER_WRAPPED_ACCOUNT, THIEF),
  ),
  addUnknown("another wallet's account is synced", buildTokenCall(17, [THIEF_BOUGHT_ACCOUNT])),
  addUnknown("the wallet is assigned to a program", buildSystemCall(1, [TAKER], ...new Uint8Array(32))),
  addUnknown("an account is created for a program", buildSystemCall(0, [TAKER, TAKER], ...new Uint8Array(48))),
  addUnknown(
    "a transfer from a seeded account",
    buildSystemCall(11, [TAKER_WRAPPED_ACCOUNT, TAKER, THIEF], ...new Uint8Array(64)),
  ),
  {
    name: "it uses a durable nonce",
    reason: "unknown_instruction",
    change: (plan) => withInstructions(plan, [buildSystemCall(4, [THIEF, STRANGER_MINT, TAKER]), ...plan.instructions]),
  },
  addInstructions("a second wallet must sign", "other_signer", buildSystemTransfer(THIEF, TAKER, 1n)),
  addInstructions("an account is opened for a thief", "foreign_account", buildOpenFor(THIEF, BOUGHT_MINT)),
  addInstructions("an account of an unknown mint is opened", "foreign_account", buildOpenFor(TAKER, STRANGER_MINT)),
  replaceAccount(
    "an account is opened at a thief's address",
    "foreign_account",
    INSTRUCTION_INDEX.openBought,
    1,
    THIEF_BOUGHT_ACCOUNT,
  ),
  addUnknown(
    "a nested account is recovered",
    buildCall(
      ASSOCIATED_TOKEN_PROGRAM,
      [TAKER_BOUGHT_ACCOUNT, BOUGHT_MINT, TAKER_WRAPPED_ACCOUNT, TAKER_BOUGHT_ACCOUNT, SOLD_MINT, TAKER],
      2,
    ),
  ),
  {
    name: "it swaps twice",
    reason: "not_one_swap",
    change: (plan) => withInstructions(plan, [...plan.instructions, plan.instructions[INSTRUCTION_INDEX.swap]!]),
  },
  replaceSwap("it does not swap", "not_one_swap", () => null),
  replaceProgram(
    "an unknown program runs instead of the token program",
    "unknown_program",
    INSTRUCTION_INDEX.sync,
    THIEF,
  ),
  replaceSwapAccount("the bought tokens go to a thief", "tokens_elsewhere", 5, THIEF_BOUGHT_ACCOUNT),
  replaceSwapAccount("the bought tokens go into the sold account", "tokens_elsewhere", 5, TAKER_WRAPPED_ACCOUNT),
  redirectRouteV2(THIEF_BOUGHT_ACCOUNT),
  replaceSwapAccount("it sells from a different account", "other_source", 2, TAKER_BOUGHT_ACCOUNT),
  replaceSwap("the swap's authority is a thief", "other_authority", (original) => ({
    ...original,
    accounts: original.accounts.map((account, i) => (i === 1 ? createWritableMeta(THIEF) : account)),
  })),
  replaceSwapAccount("it buys a different mint", "other_token", 7, STRANGER_MINT),
  replaceSwapAccount("its events go to a different program", "unknown_instruction", 11, SYSTEM_PROGRAM),
  writeSwapData("the older route", "unknown_instruction", 0, 0xe5, 0x17, 0xcb, 0x97, 0x7a, 0xe3, 0xad, 0x2a),
  writeSwapData("the older shared route", "unknown_instruction", 0, 0xc1, 0x20, 0x9b, 0x33, 0x41, 0xd6, 0x9c, 0x81),
  writeSwapData("it sells more", "other_amount", INPUT_AMOUNT_OFFSET, ...encodeU64(INPUT_LAMPORTS + 1n)),
  writeSwapData("its minimum is 0", "below_minimum", QUOTED_OUTPUT_OFFSET, ...encodeU64(0n)),
  writeSwapData(
    "its minimum is one unit lower",
    "below_minimum",
    QUOTED_OUTPUT_OFFSET,
    ...encodeU64(OUTPUT_UNITS - 2n),
  ),
  writeSwapData("it allows any slippage", "slippage", SLIPPAGE_OFFSET, 0x10, 0x27),
  writeSwapData("it pays a platform fee", "swap_fee", PLATFORM_FEE_OFFSET, 50, 0),
  writeSwapData("the venue keeps the output above the quote", "swap_fee", POSITIVE_SLIPPAGE_OFFSET, 0x10, 0x27),
  replaceSwap("its route plan is truncated", "unknown_instruction", (original) => ({
    ...original,
    data: toBase64(fromBase64(original.data)!.subarray(0, 31)),
  })),
  hideAccount("the wallet's destination account is only in a lookup table", TAKER_BOUGHT_ACCOUNT),
  hideAccount("the wallet's source account is only in a lookup table", TAKER_WRAPPED_ACCOUNT),
  hideAccount("the opened account is only in a lookup table", TAKER_BOUGHT_ACCOUNT, INSTRUCTION_INDEX.openBought),
  hideAccount("the closed account is only in a lookup table", TAKER_WRAPPED_ACCOUNT, INSTRUCTION_INDEX.close),
  addUnknown("a second unit limit", buildSetComputeUnitLimit(1)),
  addUnknown("a larger heap", buildCall(COMPUTE_BUDGET_PROGRAM, [], 1, 0, 0, 1, 0)),
  replaceProgram("a Jupiter instruction that is not a swap", "not_one_swap", INSTRUCTION_INDEX.close, JUPITER_PROGRAM),
];

/** Returns the recorded swap reversed: it sells the bought asset for SOL and unwraps it. */
export function createSale(plan: SwapPlan): SwapPlan {
  const [price, openWrapped, , , , swap, close] = plan.instructions as Required<SwapPlan["instructions"]>;
  const accounts = swap!.accounts.map(({ ...account }) => account);
  for (const [soldIndex, boughtIndex] of [
    [2, 5],
    [6, 7],
  ] as const)
    [accounts[soldIndex], accounts[boughtIndex]] = [accounts[boughtIndex]!, accounts[soldIndex]!];
  const data = fromBase64(swap!.data)!;
  data.set([...encodeU64(OUTPUT_UNITS), ...encodeU64(INPUT_LAMPORTS)], INPUT_AMOUNT_OFFSET);
  const sale = { ...swap!, accounts, data: toBase64(data) };
  return {
    ...plan,
    inputAmount: OUTPUT_UNITS,
    outputAmount: INPUT_LAMPORTS,
    minimumOutputAmount: (INPUT_LAMPORTS * BigInt(10_000 - plan.slippageBps) + 9_999n) / 10_000n,
    instructions: [price!, openWrapped!, sale, close!],
  };
}

/** Index of each instruction in `createSale().instructions`. */
const SALE_INSTRUCTION_INDEX = { swap: 2, close: 3 } as const;
const LOW_SALE_OUTPUT = (INPUT_LAMPORTS * 999n) / 1_000n;
const replaceSaleAccount = (name: string, reason: Reason, accountIndex: number, pubkey: string) =>
  replaceAccount(name, reason, SALE_INSTRUCTION_INDEX.swap, accountIndex, pubkey);
const writeSaleData = (name: string, reason: Reason, offset: number, ...bytes: number[]) =>
  writeData(SALE_INSTRUCTION_INDEX.swap, name, reason, offset, ...bytes);

/** Hostile variants of the recorded swap's reversal. */
export const HOSTILE_SALES: HostileBuild[] = [
  addInstructions("a sale sends a lamport to a thief", "sol_elsewhere", buildSystemTransfer(TAKER, THIEF, 1n)),
  addInstructions(
    "a sale also wraps SOL of the wallet",
    "sol_elsewhere",
    buildSystemTransfer(TAKER, TAKER_WRAPPED_ACCOUNT, 1n),
  ),
  replaceInstruction(
    "the SOL of a sale is unwrapped to a thief",
    "deposit_elsewhere",
    SALE_INSTRUCTION_INDEX.close,
    () => buildCloseTo(TAKER_WRAPPED_ACCOUNT, THIEF),
  ),
  replaceInstruction("the SOL of a sale stays wrapped", "stays_wrapped", SALE_INSTRUCTION_INDEX.close, () => null),
  addInstructions(
    "the SOL of a sale is unwrapped and its account reopened",
    "stays_wrapped",
    buildOpenFor(TAKER, SOLD_MINT),
  ),
  replaceSaleAccount("the SOL of a sale reaches a thief", "tokens_elsewhere", 5, THIEF_BOUGHT_ACCOUNT),
  replaceSaleAccount("the SOL of a sale goes into the sold account", "tokens_elsewhere", 5, TAKER_BOUGHT_ACCOUNT),
  replaceSaleAccount("a sale sells from a different account", "other_source", 2, THIEF_BOUGHT_ACCOUNT),
  replaceSaleAccount("a sale sells a different mint", "other_token", 6, STRANGER_MINT),
  replaceSaleAccount("a sale's authority is a different account", "other_signer", 1, TAKER_BOUGHT_ACCOUNT),
  writeSaleData(
    "a sale sells one unit more than displayed",
    "other_amount",
    INPUT_AMOUNT_OFFSET,
    ...encodeU64(OUTPUT_UNITS + 1n),
  ),
  writeSaleData(
    "a sale's minimum is a thousandth lower",
    "below_minimum",
    QUOTED_OUTPUT_OFFSET,
    ...encodeU64(LOW_SALE_OUTPUT),
  ),
  writeSaleData("a sale allows any slippage", "slippage", SLIPPAGE_OFFSET, 0x10, 0x27),
  writeSaleData("a sale pays a platform fee", "swap_fee", PLATFORM_FEE_OFFSET, 50, 0),
  addUnknown("a sale sends the rest of the tokens to a thief", buildTransferTo(THIEF_BOUGHT_ACCOUNT)),
  addUnknown("a sale lets a thief spend the rest of the tokens", APPROVAL),
  addInstructions(
    "a sale closes the sold account to a thief",
    "deposit_elsewhere",
    buildCloseTo(TAKER_BOUGHT_ACCOUNT, THIEF),
  ),
  {
    name: "a sale sells twice",
    reason: "not_one_swap",
    change: (plan) =>
      withInstructions(
        plan,
        plan.instructions.toSpliced(SALE_INSTRUCTION_INDEX.swap, 0, plan.instructions[SALE_INSTRUCTION_INDEX.swap]!),
      ),
  },
];

function buildTransferTo(destination: string, program = TOKEN_PROGRAM): InstructionLike {
  return buildTransferChecked(
    { source: TAKER_BOUGHT_ACCOUNT, destination, authority: TAKER, ...boughtTokens },
    program,
  );
}

/**
 * Variants that only the client refuses. The server reduces an excessive compute-unit price before it checks the build.
 */
export const HOSTILE_TO_CLIENTS: HostileBuild[] = [
  replaceInstruction("its network fee is a thousand times as high", "network_fee", INSTRUCTION_INDEX.price, () =>
    buildSetComputeUnitPrice(10_000_000n),
  ),
];
