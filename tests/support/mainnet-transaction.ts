import bs58 from "bs58";
import type { JsonRpc } from "../../lib/clients/json-rpc";
import { readTransaction } from "../../lib/clients/transaction-history";
import type { TransactionFigures } from "../../lib/ports";
import { viewOf } from "../../lib/solana/instructions";
import { TOKEN_PROGRAM } from "../../lib/solana/programs";

/** Answers of getTransaction in the JSON that mainnet's nodes give, for what the recorded ones do not hold. */

interface TokenRow {
  /** Address of the token account, among the accounts. */
  account: string;
  owner?: string;
  mint: string;
  decimals: number;
  /** Base units; absent: there is no such account then. */
  before?: number | string;
  after?: number | string;
  program?: string;
}

export interface Order {
  program: string;
  accounts: string[];
  data?: Uint8Array;
}

export interface Staged {
  /** Address, lamports before and after; the first pays the fee, and the signers come first. */
  accounts: [address: string, before: number, after: number][];
  signers?: number;
  fee?: number;
  orders?: Order[];
  /** What the order of this index had others do. */
  inner?: { index: number; orders: Order[] }[];
  tokens?: TokenRow[];
  /** How many of the accounts, the last ones, stand in a lookup table. */
  loaded?: { writable: number; readonly: number };
}

export function answerOf({ accounts, signers = 1, fee = 5_000, orders = [], inner = [], tokens = [], loaded }: Staged) {
  const keys = accounts.map(([key]) => key);
  // What is only named, such as mints and programs, keeps what it has.
  const named = [...orders, ...inner.flatMap((one) => one.orders)].flatMap((one) => [...one.accounts, one.program]);
  const lookedUp = (loaded?.writable ?? 0) + (loaded?.readonly ?? 0);
  const fixed = keys.slice(0, keys.length - lookedUp);
  const moreKeys = [...new Set(named)].filter((key) => !keys.includes(key));
  const [writable, readonly] = [
    keys.slice(fixed.length, fixed.length + (loaded?.writable ?? 0)),
    keys.slice(fixed.length + (loaded?.writable ?? 0)),
  ];
  const all = [...fixed, ...moreKeys, ...writable, ...readonly];
  const at = (key: string) => all.indexOf(key);
  const lamports = (which: 1 | 2) => all.map((key) => accounts.find(([one]) => one === key)?.[which] ?? 1);
  const write = ({ program, accounts, data = new Uint8Array() }: Order, stackHeight: number) => {
    return { programIdIndex: at(program), accounts: accounts.map(at), data: bs58.encode(data), stackHeight };
  };
  const balances = (which: "before" | "after") =>
    tokens.flatMap(({ account, owner, mint, decimals, program = TOKEN_PROGRAM, [which]: amount }) =>
      amount === undefined
        ? []
        : [
            {
              accountIndex: at(account),
              mint,
              owner,
              programId: program,
              uiTokenAmount: {
                amount: String(amount),
                decimals,
                uiAmount: Number(amount) / 10 ** decimals,
                uiAmountString: String(Number(amount) / 10 ** decimals),
              },
            },
          ],
    );
  return {
    blockTime: 1_790_391_375,
    slot: 450_546_679,
    version: loaded ? 0 : "legacy",
    meta: {
      computeUnitsConsumed: 4_500,
      err: null,
      fee,
      innerInstructions: inner.map(({ index, orders }) => ({
        index,
        instructions: orders.map((one) => write(one, 2)),
      })),
      loadedAddresses: { writable, readonly },
      logMessages: [],
      preBalances: lamports(1),
      postBalances: lamports(2),
      preTokenBalances: balances("before"),
      postTokenBalances: balances("after"),
      rewards: [],
      status: { Ok: null },
    },
    transaction: {
      message: {
        header: {
          numRequiredSignatures: signers,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: moreKeys.length,
        },
        accountKeys: [...fixed, ...moreKeys],
        recentBlockhash: "DqQYak2SEVj6UctdrpNwzhNzacxHU26vnPBVURvuT2YG",
        instructions: orders.map((one) => write(one, 1)),
      },
      signatures: Array.from({ length: signers }, () => "5".repeat(88)),
    },
  };
}

/** As the service reads such an answer. */
export async function figuresOf(answer: unknown): Promise<TransactionFigures> {
  const rpc = {
    call: async (_method: string, _params: unknown, schema: { parse(value: unknown): unknown }) => schema.parse(answer),
  };
  return (await readTransaction(rpc as unknown as JsonRpc, "5".repeat(88)))!;
}

/** Data of the System program: tag, then lamports, then whatever follows. */
export function systemData(tag: number, lamports: number, more = 0): Uint8Array {
  const data = new Uint8Array(12 + more);
  const view = viewOf(data);
  view.setUint32(0, tag, true);
  view.setBigUint64(4, BigInt(lamports), true);
  return data;
}
