import { z } from "zod";
import type { AccountState } from "../../domain/chain-accounts";
import type { Clock } from "../../ports/clock";
import { COMMITMENT } from "../../solana/commitment";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import { createJoiner } from "../process/joiner";
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

/**
 * Returns a function that reads accounts for several requests with one call, at most MAX_ADDRESSES_PER_CALL for each.
 * It reads only TOKEN_ACCOUNT_BYTES of an account, so that a large one cannot make the call of the other requests fail.
 */
export function createBatchedAccountReader(
  meterRpc: (quotaUser: QuotaUser) => JsonRpc,
  clock: Clock,
  bucket: Pick<Bucket, "join">,
) {
  type Read = { quotaUser: QuotaUser; addresses: string[] };
  const join = createJoiner({
    async run(reads: Read[]) {
      const addresses = [...new Set(reads.flatMap((read) => read.addresses))];
      const batchQuotaUser = createLoadUser(reads[0]!.quotaUser);
      for (const { quotaUser } of reads) bucket.join(batchQuotaUser, quotaUser);
      const readOptions = { firstBytes: TOKEN_ACCOUNT_BYTES };
      const { accounts } = await readAccounts(meterRpc(batchQuotaUser), addresses, readOptions);
      const accountByAddress = new Map(addresses.map((address, i) => [address, accounts[i] ?? null]));
      return reads.map((read) => read.addresses.map((address) => accountByAddress.get(address) ?? null));
    },
    schedule: (runWaiting) => void clock.sleep(BATCH_WAIT_MS).then(runWaiting),
    maxSize: MAX_ADDRESSES_PER_CALL,
    getSize: ({ addresses }) => addresses.length,
  });
  return (quotaUser: QuotaUser, addresses: string[]) => join({ quotaUser, addresses });
}
