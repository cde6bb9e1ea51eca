import { STORE_KEYS } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import type { Deps } from "../../ports/deps";
import type { KvStore } from "../../ports/kv-store";

/*
 * Records of service wallets. `executeTransaction` refuses a deposit into one without the service fee.
 *
 * The invariant: a service wallet that was ever paid stays known, and an unpaid one for at least 29 days after the last
 * build into it. It counts as a wallet's own only if that wallet has proven that it registered it. Builds renew the
 * record once a day. Once a payment into the wallet has landed, the record never expires, and each owner's set lists it.
 */

/** `ttlMs` is the lifetime of the record of an unpaid service wallet. */
const { toKey: toRecordKey, ttlMs: UNPAID_RECORD_TTL_MS } = STORE_KEYS.serviceWallet;

/** Limit of a service wallet's owners. Only the holder of its key can register it for more, and drops the oldest. */
const MAX_OWNERS = 8;

/**
 * `expiresAt`, ms since the epoch, is null if the wallet was paid: the record then never expires. `owners` are the
 * wallets that have registered it and proven who they are.
 */
export type ServiceWalletRecord = { expiresAt: number | null; owners: string[] };

/**
 * Records a service wallet, so that deposits into it must carry the fee.
 * @param owner the wallet that has proven that it registers it; null if the owner is only named
 */
export async function recordServiceWallet(deps: Deps, publicKey: string, owner: string | null): Promise<void> {
  const { kv, clock } = deps;
  for (let isRecorded = false; !isRecorded; ) {
    const record = await kv.get<ServiceWalletRecord>(toRecordKey(publicKey));
    const owners = [...new Set([...(record?.owners ?? []), ...(owner === null ? [] : [owner])])].slice(-MAX_OWNERS);
    const expiresAt = record?.expiresAt === null ? null : clock.now() + UNPAID_RECORD_TTL_MS;
    if (owner !== null && expiresAt === null) await addPaidServiceWallet(deps, owner, publicKey);
    isRecorded = await replaceRecord(kv, publicKey, record, { expiresAt, owners });
  }
}

const addPaidServiceWallet = ({ kv }: Deps, owner: string, publicKey: string) =>
  kv.addMember(STORE_KEYS.paidServiceWallets.toKey(owner), publicKey, true);

/** Lists the service wallets that `owner` has registered and that were paid. */
export const listPaidServiceWallets = async ({ kv }: Deps, owner: string): Promise<string[]> => [
  ...(await kv.listMembers(STORE_KEYS.paidServiceWallets.toKey(owner))).keys(),
];

/**
 * Extends the record of a service wallet to 30 days from now, unless it was extended within the last day. Does nothing
 * for a permanent or unknown record.
 */
export async function renewServiceWalletRecord({ kv, clock }: Deps, publicKey: string): Promise<void> {
  const record = await kv.get<ServiceWalletRecord>(toRecordKey(publicKey));
  const expiresAt = clock.now() + UNPAID_RECORD_TTL_MS;
  if (record?.expiresAt != null && record.expiresAt < expiresAt - DAY_MS)
    await replaceRecord(kv, publicKey, record, { ...record, expiresAt });
}

/** Writes a record if the stored one is still `record`. @returns whether it was */
const replaceRecord = (
  kv: KvStore,
  publicKey: string,
  record: ServiceWalletRecord | null,
  newRecord: ServiceWalletRecord,
): Promise<boolean> =>
  kv.replace(
    toRecordKey(publicKey),
    record,
    newRecord,
    newRecord.expiresAt === null ? undefined : UNPAID_RECORD_TTL_MS,
  );

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
    if (!record || record.expiresAt === null) return;
    // Before the record: a crash in between repeats both.
    await Promise.all(record.owners.map((owner) => addPaidServiceWallet(deps, owner, address)));
    const isReplaced = await replaceRecord(deps.kv, address, record, { ...record, expiresAt: null });
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
  const storedRecords = await kv.getMany<ServiceWalletRecord>(addresses.map((address) => toRecordKey(address)));
  return new Map(addresses.flatMap((address, i) => (storedRecords[i] ? [[address, storedRecords[i]] as const] : [])));
}

/** Returns the addresses that `owner` has registered as its own service wallets. */
export async function findOwnServiceWallets(deps: Deps, owner: string, addresses: string[]): Promise<string[]> {
  const records = await readServiceWalletRecords(deps, addresses);
  return addresses.filter((address) => records.get(address)?.owners.includes(owner));
}

/** Returns the addresses that are recorded as service wallets of any owner. */
export async function findServiceWallets(deps: Deps, addresses: string[]): Promise<Set<string>> {
  return new Set((await readServiceWalletRecords(deps, addresses)).keys());
}
