import { expect, test } from "vitest";
import { decodeActivity } from "@/lib/domain/activity";
import { ASSETS } from "@/lib/domain/assets";
import { decodeSpending } from "@/lib/domain/spending/spending";
import { encodeUtf8 } from "@/lib/solana/bytes";
import { toDataView } from "@/lib/solana/instructions";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  JUPITER_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "@/lib/solana/programs";
import {
  buildTransactionAnswer,
  createAccount,
  decodeFigures,
  paySol,
  type ScriptInstruction,
  type TransactionScript,
} from "../../../support/fixtures/mainnet-transaction";
import { computeMainnetRent } from "../../../support/fixtures/rent";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

/*
 * Transactions as wallets and programs build them on mainnet. Addresses, tags, instruction order and inner calls follow
 * the programs' sources. Each case states how a person would describe the transaction.
 */

const toKey = (label: string) => toTestWallet(`history ${label}`).address;
const [ME, SHOP, FRIEND, MINT] = [toKey("me"), toKey("shop"), toKey("friend"), toKey("nft")];
const USDC = { mint: ASSETS.USDC.mint, decimals: 6 };
const MARINADE = "MarBmsSgKXdrN1egZf5sqe1TMai9K1rChYNDJgjq7aD";
const MSOL = { mint: "mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So", decimals: 9 };
const JUP = { mint: "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", decimals: 6 };
const METADATA = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s";
const CANDY_GUARD = "Guard1JwRhJkVH6XZhzoYxeBVQe872VH6QggF4BWmS9g";
const CANDY_MACHINE = "CndyV3LdqHUfDLmE5naZjvN8rBZz4tqhdefbAnjHG3JR";

const SOL = 1_000_000_000;
const FEE = 5_000;
const computeRentLamports = (bytes: number) => Number(computeMainnetRent(bytes));
const TOKEN_RENT_LAMPORTS = computeRentLamports(165);
/** The lamports of a token account, before and after. */
const OPEN: [number, number] = [TOKEN_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS];

const encodeU64s = (tag: number[], ...amounts: number[]) => {
  const data = new Uint8Array(tag.length + 8 * amounts.length);
  data.set(tag);
  amounts.forEach((amount, i) => {
    toDataView(data).setBigUint64(tag.length + 8 * i, BigInt(amount), true);
  });
  return data;
};

const unitLimit: ScriptInstruction = {
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.of(2, 0x40, 0x0d, 3, 0),
};
const unitPrice: ScriptInstruction = { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: encodeU64s([3], 50_000) };
/** The priority fee in lamports that follows from both compute budget instructions. */
const PRIORITY_FEE = 10_000;

/** Creates a rent-exempt account of this size. */
const createRentedAccount = (from: string, account: string, bytes: number) =>
  createAccount(from, account, computeRentLamports(bytes), bytes);
/** Creates an account as Metaplex does: fund, allocate, assign. */
const createMetaplexAccount = (from: string, account: string, bytes: number): ScriptInstruction[] => [
  paySol(from, account, computeRentLamports(bytes)),
  { program: SYSTEM_PROGRAM, accounts: [account], data: encodeU64s([8, 0, 0, 0], bytes) },
  { program: SYSTEM_PROGRAM, accounts: [account], data: new Uint8Array(36).fill(1, 0, 1) },
];
const openAccount = (owner: string, account: string, mint: string): ScriptInstruction => {
  const accounts = [ME, account, owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM];
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: Uint8Array.of(1) };
};
/** Creates the inner instructions of the associated token account program when it opens an account. */
const createOpeningInner = (account: string, mint: string): ScriptInstruction[] => [
  { program: TOKEN_PROGRAM, accounts: [mint], data: Uint8Array.of(21, 7, 0) },
  createRentedAccount(ME, account, 165),
  { program: TOKEN_PROGRAM, accounts: [account], data: Uint8Array.of(22) },
  { program: TOKEN_PROGRAM, accounts: [account, mint], data: new Uint8Array(33).fill(18, 0, 1) },
];
const transferChecked = (
  [source, mint, destination, authority]: [string, string, string, string],
  amount: number,
  decimals: number,
  ...extraAccounts: string[]
): ScriptInstruction => {
  const data = Uint8Array.of(...encodeU64s([12], amount), decimals);
  return { program: TOKEN_PROGRAM, accounts: [source, mint, destination, authority, ...extraAccounts], data };
};
const mintTo = (mint: string, account: string, amount: number): ScriptInstruction => {
  return { program: TOKEN_PROGRAM, accounts: [mint, account, toKey("mint authority")], data: encodeU64s([7], amount) };
};

const [MY_USDC, SHOP_USDC] = [toKey("usdc"), toKey("shop usdc")];
const [MY_TOKENS, FRIEND_TOKENS] = [toKey("tokens"), toKey("friend tokens")];
const createOwnRow = (row: { mint: string; decimals: number }, before?: number, after?: number) => {
  return { account: row.mint === USDC.mint ? MY_USDC : MY_TOKENS, owner: ME, ...row, before, after };
};
const createShopRow = (before?: number, after?: number) => {
  return { account: SHOP_USDC, owner: SHOP, ...USDC, before, after };
};

type Spending = ReturnType<typeof decodeSpending>;
const [METADATA_BYTES, EDITION_BYTES, RECORD_BYTES] = [607, 20, 80];

const CASES: Record<string, TransactionScript & { spending: Spending; activity: string }> = {
  "a shop's payment link in USDC, with its reference and its memo: 27.63 USDC to the shop": {
    accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: OPEN, [SHOP_USDC]: OPEN },
    instructions: [
      { program: MEMO_PROGRAM, accounts: [], data: encodeUtf8("order 4711") },
      transferChecked([MY_USDC, USDC.mint, SHOP_USDC, ME], 27_630_000, 6, toKey("reference")),
    ],
    tokens: [createOwnRow(USDC, 50_000_000, 22_370_000), createShopRow(1, 27_630_001)],
    spending: { lamports: 0n, tokens: [{ ...USDC, amount: 27_630_000n }] },
    activity: "withdrawal",
  },
  "a wallet's own send of USDC to a new wallet, with a priority fee: the USDC, not the new account's rent": {
    accounts: {
      [ME]: [SOL, SOL - FEE - PRIORITY_FEE - TOKEN_RENT_LAMPORTS],
      [MY_USDC]: OPEN,
      [SHOP_USDC]: [0, TOKEN_RENT_LAMPORTS],
    },
    feeLamports: FEE + PRIORITY_FEE,
    instructions: [
      unitLimit,
      unitPrice,
      openAccount(SHOP, SHOP_USDC, USDC.mint),
      transferChecked([MY_USDC, USDC.mint, SHOP_USDC, ME], 4_020_000, 6),
    ],
    inner: [{ index: 2, instructions: createOpeningInner(SHOP_USDC, USDC.mint) }],
    tokens: [createOwnRow(USDC, 5_000_000, 980_000), createShopRow(undefined, 4_020_000)],
    spending: { lamports: 0n, tokens: [{ ...USDC, amount: 4_020_000n }] },
    activity: "withdrawal",
  },
  "a wallet's own send of SOL, with its assertions around it: the SOL": {
    accounts: { [ME]: [SOL, 0.9 * SOL - FEE - PRIORITY_FEE], [FRIEND]: [0, 0.1 * SOL] },
    feeLamports: FEE + PRIORITY_FEE,
    instructions: [
      unitPrice,
      unitLimit,
      paySol(ME, FRIEND, 0.1 * SOL),
      { program: LIGHTHOUSE_PROGRAM, accounts: [ME], data: Uint8Array.of(5, 4, 0) },
    ],
    spending: { lamports: 100_000_000n, tokens: [] },
    activity: "withdrawal",
  },
  "USDC into JUP through Jupiter's shared accounts: a swap": {
    accounts: {
      [ME]: [SOL, SOL - FEE - PRIORITY_FEE - TOKEN_RENT_LAMPORTS],
      [MY_USDC]: OPEN,
      [MY_TOKENS]: [0, TOKEN_RENT_LAMPORTS],
      [toKey("shared usdc")]: OPEN,
      [toKey("shared jup")]: OPEN,
      [toKey("pool usdc")]: OPEN,
      [toKey("pool jup")]: OPEN,
    },
    feeLamports: FEE + PRIORITY_FEE,
    loaded: { writable: 2, readonly: 0 },
    instructions: [
      unitLimit,
      unitPrice,
      openAccount(ME, MY_TOKENS, JUP.mint),
      {
        program: JUPITER_PROGRAM,
        accounts: [
          TOKEN_PROGRAM,
          toKey("program authority"),
          ME,
          MY_USDC,
          toKey("shared usdc"),
          toKey("shared jup"),
          MY_TOKENS,
        ],
        // shared_accounts_route
        data: Uint8Array.of(193, 32, 155, 51, 65, 214, 156, 129, 1),
      },
    ],
    inner: [
      { index: 2, instructions: createOpeningInner(MY_TOKENS, JUP.mint) },
      {
        index: 3,
        instructions: [
          transferChecked([MY_USDC, USDC.mint, toKey("shared usdc"), ME], 20_000_000, 6),
          transferChecked(
            [toKey("shared usdc"), USDC.mint, toKey("pool usdc"), toKey("program authority")],
            20_000_000,
            6,
          ),
          transferChecked([toKey("pool jup"), JUP.mint, toKey("shared jup"), toKey("pool")], 41_000_000, 6),
          transferChecked([toKey("shared jup"), JUP.mint, MY_TOKENS, toKey("program authority")], 41_000_000, 6),
        ],
      },
    ],
    tokens: [
      createOwnRow(USDC, 20_000_000, 0),
      createOwnRow(JUP, undefined, 41_000_000),
      { account: toKey("pool usdc"), owner: toKey("pool"), ...USDC, before: 9, after: 20_000_009 },
      { account: toKey("pool jup"), owner: toKey("pool"), ...JUP, before: 90_000_000, after: 49_000_000 },
    ],
    spending: "swap",
    activity: "swap",
  },
  "SOL staked with Marinade for mSOL: a swap": {
    accounts: {
      [ME]: [5 * SOL, 4 * SOL - FEE - TOKEN_RENT_LAMPORTS],
      [MY_TOKENS]: [0, TOKEN_RENT_LAMPORTS],
      [toKey("reserve")]: [700 * SOL, 700.7 * SOL],
      [toKey("leg")]: [300 * SOL, 300.3 * SOL],
    },
    instructions: [
      openAccount(ME, MY_TOKENS, MSOL.mint),
      {
        program: MARINADE,
        accounts: [toKey("state"), MSOL.mint, toKey("leg"), toKey("reserve"), ME, MY_TOKENS],
        // deposit
        data: encodeU64s([242, 35, 198, 137, 82, 225, 242, 182], SOL),
      },
    ],
    inner: [
      { index: 0, instructions: createOpeningInner(MY_TOKENS, MSOL.mint) },
      {
        index: 1,
        instructions: [
          paySol(ME, toKey("leg"), 0.3 * SOL),
          paySol(ME, toKey("reserve"), 0.7 * SOL),
          mintTo(MSOL.mint, MY_TOKENS, 0.76 * SOL),
        ],
      },
    ],
    tokens: [createOwnRow(MSOL, undefined, 0.76 * SOL)],
    spending: "swap",
    activity: "swap",
  },
  "an NFT minted from a candy machine for half a SOL: a swap": {
    accounts: {
      [ME]: [
        2 * SOL,
        1.5 * SOL -
          2 * FEE -
          computeRentLamports(82) -
          TOKEN_RENT_LAMPORTS -
          computeRentLamports(METADATA_BYTES) -
          computeRentLamports(EDITION_BYTES),
      ],
      [MINT]: [0, computeRentLamports(82)],
      [MY_TOKENS]: [0, TOKEN_RENT_LAMPORTS],
      [toKey("metadata")]: [0, computeRentLamports(METADATA_BYTES)],
      [toKey("edition")]: [0, computeRentLamports(EDITION_BYTES)],
      [toKey("treasury")]: [90 * SOL, 90.5 * SOL],
    },
    signerCount: 2,
    feeLamports: 2 * FEE,
    instructions: [unitLimit, { program: CANDY_GUARD, accounts: [CANDY_MACHINE, ME, MINT, toKey("treasury")] }],
    inner: [
      {
        index: 1,
        instructions: [
          paySol(ME, toKey("treasury"), 0.5 * SOL),
          { program: CANDY_MACHINE, accounts: [ME, MINT, toKey("metadata"), toKey("edition")] },
          createRentedAccount(ME, MINT, 82),
          ...createOpeningInner(MY_TOKENS, MINT),
          mintTo(MINT, MY_TOKENS, 1),
          { program: METADATA, accounts: [toKey("metadata"), MINT, ME], data: Uint8Array.of(42) },
          ...createMetaplexAccount(ME, toKey("metadata"), METADATA_BYTES),
          ...createMetaplexAccount(ME, toKey("edition"), EDITION_BYTES),
        ],
      },
    ],
    tokens: [createOwnRow({ mint: MINT, decimals: 0 }, undefined, 1)],
    spending: "swap",
    activity: "swap",
  },
  "a programmable NFT sent to a friend: the NFT alone, not the rent of its new account": {
    accounts: {
      [ME]: [SOL, SOL - FEE - TOKEN_RENT_LAMPORTS - computeRentLamports(RECORD_BYTES)],
      [MY_TOKENS]: OPEN,
      [FRIEND_TOKENS]: [0, TOKEN_RENT_LAMPORTS],
      [toKey("record")]: [0, computeRentLamports(RECORD_BYTES)],
      [toKey("own record")]: [computeRentLamports(RECORD_BYTES), computeRentLamports(RECORD_BYTES)],
    },
    instructions: [
      unitLimit,
      {
        program: METADATA,
        accounts: [MY_TOKENS, ME, FRIEND_TOKENS, FRIEND, MINT, toKey("metadata"), toKey("own record"), toKey("record")],
        // Transfer, V1
        data: encodeU64s([49, 0], 1),
      },
    ],
    inner: [
      {
        index: 1,
        instructions: [
          openAccount(FRIEND, FRIEND_TOKENS, MINT),
          ...createOpeningInner(FRIEND_TOKENS, MINT),
          ...createMetaplexAccount(ME, toKey("record"), RECORD_BYTES),
          { program: TOKEN_PROGRAM, accounts: [MY_TOKENS, MINT, toKey("edition")], data: Uint8Array.of(11) },
          transferChecked([MY_TOKENS, MINT, FRIEND_TOKENS, ME], 1, 0),
          { program: TOKEN_PROGRAM, accounts: [FRIEND_TOKENS, MINT, toKey("edition")], data: Uint8Array.of(10) },
        ],
      },
    ],
    tokens: [
      createOwnRow({ mint: MINT, decimals: 0 }, 1, 0),
      { account: FRIEND_TOKENS, owner: FRIEND, mint: MINT, decimals: 0, before: undefined, after: 1 },
    ],
    spending: { lamports: 0n, tokens: [{ mint: MINT, decimals: 0, amount: 1n }] },
    activity: "withdrawal",
  },
  "a token with a transfer fee of 1 %, to a friend: the full amount that left the wallet": {
    accounts: {
      [ME]: [SOL, SOL - FEE],
      [MY_TOKENS]: [computeRentLamports(182), computeRentLamports(182)],
      [FRIEND_TOKENS]: [computeRentLamports(182), computeRentLamports(182)],
    },
    instructions: [
      {
        program: TOKEN_2022_PROGRAM,
        accounts: [MY_TOKENS, JUP.mint, FRIEND_TOKENS, ME],
        // TransferFeeExtension, TransferCheckedWithFee
        data: Uint8Array.of(...encodeU64s([26, 1], 3_000_000), 6, ...encodeU64s([], 30_000)),
      },
    ],
    tokens: [
      { ...createOwnRow(JUP, 5_000_000, 2_000_000), program: TOKEN_2022_PROGRAM },
      { account: FRIEND_TOKENS, owner: FRIEND, ...JUP, before: 0, after: 2_970_000, program: TOKEN_2022_PROGRAM },
    ],
    spending: { lamports: 0n, tokens: [{ ...JUP, amount: 3_000_000n }] },
    activity: "withdrawal",
  },
  "wrapped SOL turned back into SOL, its account closed: nothing was spent": {
    accounts: {
      [ME]: [SOL, SOL - FEE + TOKEN_RENT_LAMPORTS + 0.2 * SOL],
      [MY_TOKENS]: [TOKEN_RENT_LAMPORTS + 0.2 * SOL, 0],
    },
    instructions: [{ program: TOKEN_PROGRAM, accounts: [MY_TOKENS, ME, ME], data: Uint8Array.of(9) }],
    tokens: [createOwnRow({ mint: NATIVE_MINT, decimals: 9 }, 0.2 * SOL)],
    spending: "own_accounts",
    activity: "other",
  },
};

test.each(Object.entries(CASES))("%s", async (_description, { spending, activity, ...script }) => {
  const figures = await decodeFigures(buildTransactionAnswer(script));
  const context = { wallet: ME, isServiceWallet: () => false, feeCollectors: [] };
  expect(decodeSpending(figures, context)).toEqual(spending);
  expect(decodeActivity(figures, ME, []).type).toBe(activity);
});
