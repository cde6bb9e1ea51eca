import { z } from "zod";
import type { AccountState } from "../../domain/chain-accounts";
import { COMMITMENT } from "../../solana/commitment";
import { createInvalidError, type JsonRpc } from "./json-rpc";

/** The size limit of an answer with 100 accounts. */
const ACCOUNTS_MAX_BYTES = 4_194_304;

/** An unsigned 64-bit number. z.int() would refuse numbers above 2^53 lamports, which are 9 million SOL. */
export const U64 = z.number().nonnegative().refine(Number.isInteger);

const Account = z.object({
  lamports: U64,
  owner: z.string(),
  data: z.tuple([z.string(), z.literal("base64")]),
});
/** Accounts as a node returns them; an entry is null where there is no account. */
export const Accounts = z.array(Account.nullable());

const AccountsAnswer = z.object({ context: z.object({ slot: z.number().int().nonnegative() }), value: Accounts });

interface ReadOptions {
  /** Reads only this many bytes of each account's data. Absent: reads all. */
  firstBytes?: number;
  /** The slot that the node must have reached. Absent: any. */
  minSlot?: number;
}

/** Reads accounts, one entry per address, in order, and the slot of the node's view. @throws AppError upstream_* */
export async function readAccounts(rpc: JsonRpc, addresses: string[], { firstBytes, minSlot }: ReadOptions = {}) {
  const dataSlice = firstBytes === undefined ? undefined : { offset: 0, length: firstBytes };
  const params = [addresses, { encoding: "base64", commitment: COMMITMENT, dataSlice, minContextSlot: minSlot }];
  const callOptions = { maxBytes: ACCOUNTS_MAX_BYTES };
  const { context, value } = await rpc.call("getMultipleAccounts", params, AccountsAnswer, callOptions);
  return { slot: context.slot, accounts: toAccountStates(value, addresses.length) };
}

/** Converts a node's accounts. @throws AppError upstream_invalid when there are not `count` of them */
export function toAccountStates(accounts: z.output<typeof Accounts> | null | undefined, count: number) {
  if (accounts?.length !== count) throw createInvalidError("returned the wrong number of accounts");
  return accounts.map(toAccountState);
}

function toAccountState(account: z.output<typeof Account> | null): AccountState | null {
  if (account === null) return null;
  const { lamports, owner, data } = account;
  return { lamports: BigInt(lamports), owner, data: Buffer.from(data[0], "base64") };
}
