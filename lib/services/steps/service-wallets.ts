import { DAY_MS } from "../../domain/time";
import type { Deps } from "../../ports/deps";

/*
 * Records of service wallets.
 *
 * The problem: `executeSwap` must refuse a deposit into a service wallet without the service fee. The address alone
 * does not show that it is a service wallet.
 * The invariant: a service wallet that was ever paid stays known. An unpaid one stays known for at least 29 days
 * after the last build into it.
 * How it is kept: deriving a wallet writes a record that expires after 30 days, and builds renew it once a day. Once a
 * payment into the wallet has landed, the record no longer expires.
 * Example: a user derives S and saves into it after two weeks. The build renews the record of S, and the landed saving
 * makes it permanent. Records of wallets that nobody ever pays disappear after 30 days.
 */

/**
 * Lifetime of the record of an unpaid service wallet. The record must expire, because any caller can derive 256 wallets
 * at no cost.
 */
const UNPAID_RECORD_TTL_MS = 30 * DAY_MS;

/** `true` if the wallet was paid, because the record then never expires. Otherwise its expiry, ms since the epoch. */
export type ServiceWalletRecord = true | number;

export const toServiceWalletRecordKey = (publicKey: string) => `service-wallet:${publicKey}`;

/** Records a service wallet, so that deposits into it must carry the fee. Does not record its owner. */
export async function recordServiceWallet(deps: Deps, publicKey: string): Promise<void> {
  const expiresAt = deps.clock.now() + UNPAID_RECORD_TTL_MS;
  if (!(await deps.kv.setIfAbsent(toServiceWalletRecordKey(publicKey), expiresAt, UNPAID_RECORD_TTL_MS)))
    await renewServiceWalletRecord(deps, publicKey);
}

/**
 * Extends the record of a service wallet to 30 days from now, unless it was extended within the last day. Does nothing
 * for a permanent or unknown record.
 */
export async function renewServiceWalletRecord({ kv, clock }: Deps, publicKey: string): Promise<void> {
  const record = await kv.get<ServiceWalletRecord>(toServiceWalletRecordKey(publicKey));
  const newExpiresAt = clock.now() + UNPAID_RECORD_TTL_MS;
  if (typeof record === "number" && record < newExpiresAt - DAY_MS)
    await kv.replace(toServiceWalletRecordKey(publicKey), record, newExpiresAt, UNPAID_RECORD_TTL_MS);
}

/**
 * Makes the records of paid service wallets permanent. Ignores addresses that are not service wallets.
 * @param knownRecords records that the caller has already read. If absent, this function reads them
 */
export async function makeServiceWalletRecordsPermanent(
  deps: Deps,
  addresses: string[],
  knownRecords?: ReadonlyMap<string, ServiceWalletRecord>,
): Promise<void> {
  const records = knownRecords ?? (await readServiceWalletRecords(deps, addresses));
  const makePermanent = async (address: string): Promise<void> => {
    const record = records.get(address);
    if (typeof record !== "number") return;
    const isReplaced = await deps.kv.replace(toServiceWalletRecordKey(address), record, true);
    // A build may have renewed the record since the caller read it. The second call has just read it and tries once,
    // because the landed transaction stays pending and a later round tries again.
    if (!isReplaced && knownRecords) await makeServiceWalletRecordsPermanent(deps, [address]);
  };
  await Promise.all(addresses.map(makePermanent));
}

/** Reads the records of those addresses that are service wallets. */
export async function readServiceWalletRecords(
  { kv }: Deps,
  addresses: string[],
): Promise<Map<string, ServiceWalletRecord>> {
  if (addresses.length === 0) return new Map();
  const storedRecords = await kv.getMany<ServiceWalletRecord>(addresses.map(toServiceWalletRecordKey));
  return new Map(addresses.flatMap((address, i) => (storedRecords[i] ? [[address, storedRecords[i]] as const] : [])));
}

/** Returns the addresses that are recorded as service wallets. */
export async function findServiceWallets(deps: Deps, addresses: string[]): Promise<Set<string>> {
  return new Set((await readServiceWalletRecords(deps, addresses)).keys());
}
