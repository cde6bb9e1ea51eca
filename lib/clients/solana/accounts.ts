import { z } from "zod";
import type { AccountState } from "../../domain/chain-accounts";
import type { Clock } from "../../ports/clock";
import { COMMITMENT } from "../../solana/commitment";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import type { Bucket } from "../quota/bucket";
import { createLoadUser, type QuotaUser } from "../quota/quota-port";
import { createInvalidError, type JsonRpc } from "./json-rpc";

const ACCOUNTS_MAX_BYTES = 4_194_304;
/** The largest number of addresses in one call. Source: MAX_MULTIPLE_ACCOUNTS, agave. */
export const MAX_ADDRESSES_PER_CALL = 100;
/** How long a batched read waits for reads of other requests, ms. */
const BATCH_WAIT_MS = 20;

/** An unsigned 64-bit number. z.int() would refuse numbers above 2^53 lamports, which are 9 million SOL. */
export const U64 = z.number().nonnegative().refine(Number.isInteger);

const Account = z.object({
  lamports: U64,
  owner: z.string(),
  data: z.tuple([z.string(), z.literal("base64")]),
});
export const Accounts = z.array(Account.nullable());

const AccountsAnswer = z.object({ context: z.object({ slot: z.number().int().nonnegative() }), value: Accounts });

interface ReadOptions {
  /** Reads only this many bytes of each account's data. Absent: reads all. */
  firstBytes?: number;
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
  return accounts.map((account): AccountState | null => {
    if (account === null) return null;
    const { lamports, owner, data } = account;
    return { lamports: BigInt(lamports), owner, data: Buffer.from(data[0], "base64") };
  });
}

interface Waiter {
  quotaUser: QuotaUser;
  addresses: string[];
  resolve(accounts: (AccountState | null)[]): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that reads accounts for several requests with one call, at most MAX_ADDRESSES_PER_CALL for each.
 * It reads only TOKEN_ACCOUNT_BYTES of an account, so that a large one cannot make the call of the other requests fail.
 */
export function createBatchedAccountReader(
  meterRpc: (quotaUser: QuotaUser) => JsonRpc,
  clock: Clock,
  bucket: Pick<Bucket, "join">,
) {
  const waiters: Waiter[] = [];

  const readBatch = async (batch: Waiter[]): Promise<void> => {
    const addresses = [...new Set(batch.flatMap((waiter) => waiter.addresses))];
    try {
      const batchQuotaUser = createLoadUser(batch[0]!.quotaUser);
      for (const waiter of batch) bucket.join(batchQuotaUser, waiter.quotaUser);
      const readOptions = { firstBytes: TOKEN_ACCOUNT_BYTES };
      const { accounts } = await readAccounts(meterRpc(batchQuotaUser), addresses, readOptions);
      const accountByAddress = new Map(addresses.map((address, i) => [address, accounts[i] ?? null]));
      for (const waiter of batch)
        waiter.resolve(waiter.addresses.map((address) => accountByAddress.get(address) ?? null));
    } catch (error) {
      for (const waiter of batch) waiter.reject(error);
    }
  };

  const sendBatches = (): void => {
    let batch: Waiter[] = [];
    let addresses = new Set<string>();
    for (const waiter of waiters.splice(0)) {
      const joinedAddresses = new Set([...addresses, ...waiter.addresses]);
      if (batch.length > 0 && joinedAddresses.size > MAX_ADDRESSES_PER_CALL) {
        void readBatch(batch);
        [batch, addresses] = [[], new Set(waiter.addresses)];
      } else addresses = joinedAddresses;
      batch.push(waiter);
    }
    void readBatch(batch);
  };

  return (quotaUser: QuotaUser, addresses: string[]): Promise<(AccountState | null)[]> =>
    new Promise((resolve, reject) => {
      if (waiters.length === 0) void clock.sleep(BATCH_WAIT_MS).then(sendBatches);
      waiters.push({ quotaUser, addresses, resolve, reject });
    });
}
