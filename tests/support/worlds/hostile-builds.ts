import type { Reason } from "../../../lib/domain/not-as-shown";
import type { SwapPlan, WireInstruction } from "../../../lib/domain/swap/swap-plan";
import { fromBase64, toBase64 } from "../../../lib/solana/bytes";
import { setComputeUnitLimit, setComputeUnitPrice } from "../../../lib/solana/compute-budget";
import { type InstructionLike, u64Bytes } from "../../../lib/solana/instructions";
import { memo } from "../../../lib/solana/memo";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  JUPITER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../../lib/solana/programs";
import { systemTransfer } from "../../../lib/solana/system-instructions";
import {
  approveChecked,
  associatedTokenAddress,
  closeAccount,
  createAssociatedTokenAccountIdempotent,
  transferChecked,
} from "../../../lib/solana/token-instructions";
import { AT, BOUGHT, INPUT, OUTPUT, OWN_BOUGHT, OWN_WRAPPED, SOLD, TAKER } from "../fixtures/recorded-swap";
import { testWallet } from "../fixtures/test-wallets";

export const THIEF = testWallet("thief").address;
const STRANGER_MINT = testWallet("stranger mint").address;
const THIEFS_BOUGHT = associatedTokenAddress(THIEF, BOUGHT);

/** A build that an attacker in control of the aggregator, or of the server, wants the user to sign. */
export interface Hostile {
  name: string;
  reason: Reason;
  change(plan: SwapPlan): SwapPlan;
}

const writable = (pubkey: string, isSigner = false) => ({ pubkey, isSigner, isWritable: true });
const instruction = (programId: string, keys: string[], ...data: number[]): InstructionLike => ({
  programId,
  accounts: keys.map((key) => writable(key, key === TAKER)),
  data: toBase64(Uint8Array.from(data)),
});
const system = (tag: number, keys: string[], ...data: number[]) =>
  instruction(SYSTEM_PROGRAM, keys, tag, 0, 0, 0, ...data);
const token = (tag: number, keys: string[], ...data: number[]) => instruction(TOKEN_PROGRAM, keys, tag, ...data);
const coins = { mint: BOUGHT, decimals: 6, amount: OUTPUT };

const withAll = (plan: SwapPlan, instructions: WireInstruction[]): SwapPlan => ({ ...plan, instructions });

/** Appends instructions. */
const adds = (name: string, reason: Reason, ...more: InstructionLike[]): Hostile => ({
  name,
  reason,
  change: (plan) => withAll(plan, [...plan.instructions, ...more]),
});

/** Replaces one instruction. */
const puts = (
  name: string,
  reason: Reason,
  at: number,
  change: (one: WireInstruction) => WireInstruction | null,
): Hostile => ({
  name,
  reason,
  change: (plan) =>
    withAll(
      plan,
      plan.instructions.flatMap((one, i) => (i === at ? (change(one) ?? []) : one)),
    ),
});

/** Replaces one account of an instruction. */
const swapsAccount = (name: string, reason: Reason, at: number, place: number, pubkey: string): Hostile =>
  puts(name, reason, at, (one) => ({
    ...one,
    accounts: one.accounts.map((account, i) => (i === place ? { ...account, pubkey } : account)),
  }));

/** Overwrites bytes in an instruction's data. */
const writesAt = (which: number, name: string, reason: Reason, at: number, ...bytes: number[]): Hostile =>
  puts(name, reason, which, (one) => {
    const data = fromBase64(one.data)!;
    data.set(bytes, at);
    return { ...one, data: toBase64(data) };
  });

/** Overwrites bytes in the swap's data. */
const writes = (name: string, reason: Reason, at: number, ...bytes: number[]) =>
  writesAt(AT.swap, name, reason, at, ...bytes);

/** Moves an account from the message into a lookup table. */
const hides = (name: string, pubkey: string, only?: number): Hostile => ({
  name,
  reason: "hidden_account",
  change: (plan) => {
    const kept =
      only === undefined ? plan.instructions : plan.instructions.filter((_, i) => i === only || i === AT.swap);
    return { ...withAll(plan, kept), lookupTables: { ...plan.lookupTables, [STRANGER_MINT]: [pubkey] } };
  },
});

/** Offsets of the scalars in `shared_accounts_route_v2`. Source: field facts in lib/solana/jupiter-swap.ts. */
const IN_AMOUNT = 9;
const QUOTED_OUT = 17;
const SLIPPAGE = 25;
const PLATFORM_FEE = 27;
const POSITIVE_SLIPPAGE = 29;

/** Returns the same swap as `route_v2`, with a thief's account in the second place of the destination. */
function routeV2To(again: string): Hostile {
  return puts("route_v2 names the thief's account as its second destination", "tokens_elsewhere", AT.swap, (one) => {
    const data = Uint8Array.from([
      0xbb,
      0x64,
      0xfa,
      0xcc,
      0x31,
      0xc4,
      0xaf,
      0x14,
      ...fromBase64(one.data)!.subarray(9),
    ]);
    const a = one.accounts;
    const head = [a[1], a[2], a[5], a[6], a[7], a[8], a[9], writable(again), a[10], a[11]] as typeof a;
    return { ...one, accounts: [...head, ...a.slice(12)], data: toBase64(data) };
  });
}

/** Hostile variants of the recorded Jupiter swap. The server must refuse each of them before a client receives it. */
export const HOSTILE_SWAPS: Hostile[] = [
  adds("a lamport goes to a thief", "sol_elsewhere", systemTransfer(TAKER, THIEF, 1n)),
  puts("the whole input goes to a thief", "sol_elsewhere", AT.wrap, () => systemTransfer(TAKER, THIEF, INPUT)),
  puts("the input goes to a thief's wrapped SOL", "sol_elsewhere", AT.wrap, () =>
    systemTransfer(TAKER, associatedTokenAddress(THIEF, SOLD), INPUT),
  ),
  adds("the input is wrapped twice", "too_much_sol", systemTransfer(TAKER, OWN_WRAPPED, INPUT)),
  adds("an unknown program gets the wallet as signer", "unknown_program", instruction(THIEF, [TAKER], 1)),
  adds("a memo nobody asked for", "unknown_program", memo("hello", TAKER)),
  adds(
    "a delegate may spend the bought tokens",
    "unknown_instruction",
    approveChecked({ account: OWN_BOUGHT, delegate: THIEF, owner: TAKER, ...coins }),
  ),
  adds("an older approval", "unknown_instruction", token(4, [OWN_BOUGHT, THIEF, TAKER], ...u64Bytes(OUTPUT))),
  adds(
    "a token account changes hands",
    "unknown_instruction",
    token(6, [OWN_BOUGHT, TAKER], 2, 1, ...new Uint8Array(32)),
  ),
  adds(
    "somebody else may close a token account",
    "unknown_instruction",
    token(6, [OWN_BOUGHT, TAKER], 3, 1, ...new Uint8Array(32)),
  ),
  adds("bought tokens are burnt", "unknown_instruction", token(8, [OWN_BOUGHT, BOUGHT, TAKER], ...u64Bytes(1n))),
  adds("bought tokens go on to a thief", "unknown_instruction", transferTo(THIEFS_BOUGHT)),
  adds(
    "an older transfer to a thief",
    "unknown_instruction",
    token(3, [OWN_BOUGHT, THIEFS_BOUGHT, TAKER], ...u64Bytes(1n)),
  ),
  adds("a Token-2022 transfer with a hook's accounts", "unknown_instruction", {
    ...transferTo(THIEFS_BOUGHT, TOKEN_2022_PROGRAM),
    accounts: [...transferTo(THIEFS_BOUGHT, TOKEN_2022_PROGRAM).accounts, writable(THIEF)],
  }),
  adds(
    "the bought account is closed",
    "unknown_instruction",
    closeAccount({ account: OWN_BOUGHT, destination: TAKER, owner: TAKER }),
  ),
  puts("unwrapped SOL goes to a thief", "deposit_elsewhere", AT.close, () =>
    closeAccount({ account: OWN_WRAPPED, destination: THIEF, owner: TAKER }),
  ),
  adds("somebody else's account is synced", "unknown_instruction", token(17, [THIEFS_BOUGHT])),
  adds("the wallet is handed to a program", "unknown_instruction", system(1, [TAKER], ...new Uint8Array(32))),
  adds("an account is created for a program", "unknown_instruction", system(0, [TAKER, TAKER], ...new Uint8Array(48))),
  adds(
    "a transfer from a seeded account",
    "unknown_instruction",
    system(11, [OWN_WRAPPED, TAKER, THIEF], ...new Uint8Array(64)),
  ),
  {
    name: "it lives on a durable nonce",
    reason: "unknown_instruction",
    change: (plan) => withAll(plan, [system(4, [THIEF, STRANGER_MINT, TAKER]), ...plan.instructions]),
  },
  adds("another must sign too", "other_signer", systemTransfer(THIEF, TAKER, 1n)),
  adds(
    "an account is opened for a thief",
    "foreign_account",
    createAssociatedTokenAccountIdempotent({ payer: TAKER, owner: THIEF, mint: BOUGHT }),
  ),
  adds(
    "an account of an unknown mint is opened",
    "foreign_account",
    createAssociatedTokenAccountIdempotent({ payer: TAKER, owner: TAKER, mint: STRANGER_MINT }),
  ),
  swapsAccount("an account is opened at another place", "foreign_account", AT.openBought, 1, THIEFS_BOUGHT),
  adds(
    "a nested account is recovered",
    "unknown_instruction",
    instruction(ASSOCIATED_TOKEN_PROGRAM, [OWN_BOUGHT, BOUGHT, OWN_WRAPPED, OWN_BOUGHT, SOLD, TAKER], 2),
  ),
  {
    name: "it swaps twice",
    reason: "not_one_swap",
    change: (plan) => withAll(plan, [...plan.instructions, plan.instructions[AT.swap]!]),
  },
  puts("it does not swap", "not_one_swap", AT.swap, () => null),
  puts("the swap is another program's", "unknown_program", AT.sync, (one) => ({ ...one, programId: THIEF })),
  swapsAccount("what is bought reaches a thief", "tokens_elsewhere", AT.swap, 5, THIEFS_BOUGHT),
  swapsAccount("what is bought is the sold token", "tokens_elsewhere", AT.swap, 5, OWN_WRAPPED),
  routeV2To(THIEFS_BOUGHT),
  swapsAccount("another account is sold from", "other_source", AT.swap, 2, OWN_BOUGHT),
  puts("it swaps in another's name", "other_authority", AT.swap, (one) => ({
    ...one,
    accounts: one.accounts.map((account, i) => (i === 1 ? writable(THIEF) : account)),
  })),
  swapsAccount("it names another mint to buy", "other_token", AT.swap, 7, STRANGER_MINT),
  swapsAccount("its events go to another program", "unknown_instruction", AT.swap, 11, SYSTEM_PROGRAM),
  writes("the older route", "unknown_instruction", 0, 0xe5, 0x17, 0xcb, 0x97, 0x7a, 0xe3, 0xad, 0x2a),
  writes("the older shared route", "unknown_instruction", 0, 0xc1, 0x20, 0x9b, 0x33, 0x41, 0xd6, 0x9c, 0x81),
  writes("it sells more", "other_amount", IN_AMOUNT, ...u64Bytes(INPUT + 1n)),
  writes("its minimum is 0", "below_minimum", QUOTED_OUT, ...u64Bytes(0n)),
  writes("its minimum is a unit lower", "below_minimum", QUOTED_OUT, ...u64Bytes(OUTPUT - 2n)),
  writes("it allows any slippage", "slippage", SLIPPAGE, 0x10, 0x27),
  writes("a platform fee", "swap_fee", PLATFORM_FEE, 50, 0),
  writes("the venue keeps what it gets above the quote", "swap_fee", POSITIVE_SLIPPAGE, 0x10, 0x27),
  puts("its plan is cut off", "unknown_instruction", AT.swap, (one) => ({
    ...one,
    data: toBase64(fromBase64(one.data)!.subarray(0, 31)),
  })),
  hides("the own destination hides in a table", OWN_BOUGHT),
  hides("the own source hides in a table", OWN_WRAPPED),
  hides("the account that is opened hides in a table", OWN_BOUGHT, AT.openBought),
  hides("the account that is closed hides in a table", OWN_WRAPPED, AT.close),
  adds("a second unit limit", "unknown_instruction", setComputeUnitLimit(1)),
  adds("a larger heap", "unknown_instruction", instruction(COMPUTE_BUDGET_PROGRAM, [], 1, 0, 0, 1, 0)),
  puts("Jupiter's own instruction that is no swap", "not_one_swap", AT.close, (one) => ({
    ...one,
    programId: JUPITER_PROGRAM,
  })),
];

/** Returns the recorded swap reversed: it sells the bought asset for SOL and unwraps it. */
export function recordedSale(plan: SwapPlan): SwapPlan {
  const [price, openWrapped, , , , swap, close] = plan.instructions as Required<SwapPlan["instructions"]>;
  const accounts = swap!.accounts.map(({ ...account }) => account);
  for (const [a, b] of [
    [2, 5],
    [6, 7],
  ] as const)
    [accounts[a], accounts[b]] = [accounts[b]!, accounts[a]!];
  const data = fromBase64(swap!.data)!;
  data.set([...u64Bytes(OUTPUT), ...u64Bytes(INPUT)], IN_AMOUNT);
  const sale = { ...swap!, accounts, data: toBase64(data) };
  return {
    ...plan,
    inputAmount: OUTPUT,
    outputAmount: INPUT,
    minimumOutputAmount: (INPUT * BigInt(10_000 - plan.slippageBps) + 9_999n) / 10_000n,
    instructions: [price!, openWrapped!, sale, close!],
  };
}

/** Index of each instruction in `recordedSale().instructions`. */
const SALE = { openWrapped: 1, swap: 2, close: 3 } as const;

/** Hostile variants of that sale. */
export const HOSTILE_SALES: Hostile[] = [
  adds("a sale sends a lamport to a thief", "sol_elsewhere", systemTransfer(TAKER, THIEF, 1n)),
  adds("a sale wraps SOL of the wallet's as well", "sol_elsewhere", systemTransfer(TAKER, OWN_WRAPPED, 1n)),
  puts("the SOL of a sale is unwrapped to a thief", "deposit_elsewhere", SALE.close, () =>
    closeAccount({ account: OWN_WRAPPED, destination: THIEF, owner: TAKER }),
  ),
  puts("the SOL of a sale stays wrapped", "stays_wrapped", SALE.close, () => null),
  adds(
    "the SOL of a sale is unwrapped, and the account opened again",
    "stays_wrapped",
    createAssociatedTokenAccountIdempotent({ payer: TAKER, owner: TAKER, mint: SOLD }),
  ),
  swapsAccount("the SOL of a sale reaches a thief", "tokens_elsewhere", SALE.swap, 5, THIEFS_BOUGHT),
  swapsAccount("the SOL of a sale goes into the sold account", "tokens_elsewhere", SALE.swap, 5, OWN_BOUGHT),
  swapsAccount("a sale takes from another account", "other_source", SALE.swap, 2, THIEFS_BOUGHT),
  swapsAccount("a sale names another mint to sell", "other_token", SALE.swap, 6, STRANGER_MINT),
  swapsAccount("a sale is in another's name", "other_signer", SALE.swap, 1, OWN_BOUGHT),
  writesAt(SALE.swap, "it sells a unit more than was shown", "other_amount", IN_AMOUNT, ...u64Bytes(OUTPUT + 1n)),
  writesAt(
    SALE.swap,
    "a sale brings a thousandth less",
    "below_minimum",
    QUOTED_OUT,
    ...u64Bytes((INPUT * 999n) / 1_000n),
  ),
  writesAt(SALE.swap, "a sale allows any slippage", "slippage", SLIPPAGE, 0x10, 0x27),
  writesAt(SALE.swap, "a sale pays a platform fee", "swap_fee", PLATFORM_FEE, 50, 0),
  adds("a sale sends the rest of the tokens to a thief", "unknown_instruction", transferTo(THIEFS_BOUGHT)),
  adds(
    "a sale lets a thief spend the rest of the tokens",
    "unknown_instruction",
    approveChecked({ account: OWN_BOUGHT, delegate: THIEF, owner: TAKER, ...coins }),
  ),
  adds(
    "a sale closes the sold account to a thief",
    "deposit_elsewhere",
    closeAccount({ account: OWN_BOUGHT, destination: THIEF, owner: TAKER }),
  ),
  {
    name: "a sale sells twice",
    reason: "not_one_swap",
    change: (plan) => withAll(plan, plan.instructions.toSpliced(SALE.swap, 0, plan.instructions[SALE.swap]!)),
  },
];

function transferTo(destination: string, program = TOKEN_PROGRAM): InstructionLike {
  return transferChecked({ source: OWN_BOUGHT, destination, authority: TAKER, ...coins }, program);
}

/**
 * Variants that only the client refuses. The server reduces an excessive compute-unit price before it checks the build.
 */
export const HOSTILE_TO_CLIENTS: Hostile[] = [
  puts("its network fee is a thousand times as high", "network_fee", AT.price, () => setComputeUnitPrice(10_000_000n)),
];
