import type { AccountState } from "../../domain/chain-accounts";
import type { Clock } from "../../ports/clock";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import type { Bucket } from "../quota/bucket";
import { createLoadUser, type QuotaUser } from "../quota/quota-port";
import { readAccounts } from "./accounts";
import type { JsonRpc } from "./json-rpc";

/** How long a read waits for reads of other requests, ms. */
const BATCH_WAIT_MS = 20;
/** The largest number of addresses in one call. Source: MAX_MULTIPLE_ACCOUNTS, agave. */
export const MAX_ADDRESSES_PER_CALL = 100;

/** A read that waits for its batch. */
interface Waiter {
  quotaUser: QuotaUser;
  addresses: string[];
  resolve(accounts: (AccountState | null)[]): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that reads accounts for several requests with one call. The function resolves to one entry per
 * address, in order. It reads only TOKEN_ACCOUNT_BYTES of each account, so that a large account cannot make the call of
 * the other requests fail. It throws AppError upstream_*.
 * The caller gives at most MAX_ADDRESSES_PER_CALL addresses to each read.
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
    if (batch.length > 0) void readBatch(batch);
  };

  return (quotaUser: QuotaUser, addresses: string[]): Promise<(AccountState | null)[]> =>
    new Promise((resolve, reject) => {
      if (waiters.length === 0) void clock.sleep(BATCH_WAIT_MS).then(sendBatches);
      waiters.push({ quotaUser, addresses, resolve, reject });
    });
}
