import { z } from "zod";
import type { AccountState } from "../../domain/chain-accounts";
import { COMMITMENT } from "../../solana/commitment";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
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

const AccountsAnswer = z.object({ value: Accounts });
const AccountsAtAnswer = AccountsAnswer.extend({ context: z.object({ slot: z.number().int().nonnegative() }) });

/**
 * Reads accounts. Returns one entry per address, in order.
 * @param firstBytes reads only this many bytes of each account's data; undefined reads all
 * @throws AppError upstream_*
 */
export async function readAccounts(rpc: JsonRpc, addresses: string[], firstBytes: number | undefined) {
  const sliceOption = firstBytes === undefined ? {} : { dataSlice: { offset: 0, length: firstBytes } };
  const params = [addresses, { encoding: "base64", commitment: COMMITMENT, ...sliceOption }];
  const { value } = await rpc.call("getMultipleAccounts", params, AccountsAnswer, { maxBytes: ACCOUNTS_MAX_BYTES });
  return toAccountStates(value, addresses.length);
}

/**
 * Reads the first TOKEN_ACCOUNT_BYTES of accounts from a node that has reached `minSlot`, and the slot of its view.
 * @throws AppError upstream_*
 */
export async function readAccountsAt(rpc: JsonRpc, addresses: string[], minSlot: number) {
  const dataSlice = { offset: 0, length: TOKEN_ACCOUNT_BYTES };
  const params = [addresses, { encoding: "base64", commitment: COMMITMENT, dataSlice, minContextSlot: minSlot }];
  const { context, value } = await rpc.call("getMultipleAccounts", params, AccountsAtAnswer, {
    maxBytes: ACCOUNTS_MAX_BYTES,
  });
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
