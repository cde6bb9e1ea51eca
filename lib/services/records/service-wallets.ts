import type { SignedMark } from "../../domain/marks";
import { type Movement, readMoney } from "../../domain/movements";
import { STORE_KEYS } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import type { Deps } from "../../ports/deps";
import type { KvStore } from "../../ports/kv-store";

/*
 * Records of service wallets. `executeTransaction` refuses a deposit into one without the service fee. A service wallet
 * that was ever paid stays known, and an unpaid one for at least 29 days after the last build into it. It counts as a
 * wallet's own only if that wallet has proven that it registered it.
 */

const { toKey: toRecordKey, ttlMs: UNPAID_RECORD_TTL_MS } = STORE_KEYS.serviceWallet;

/** Only the holder of a service wallet's key can register it for more owners, and drops the oldest. */
const MAX_OWNERS = 8;

/** `expiresAt`: ms since the epoch, null for a paid wallet. `owners` have registered it and proven who they are. */
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

export const listPaidServiceWallets = async ({ kv }: Deps, owner: string): Promise<string[]> => [
  ...(await kv.listMembers(STORE_KEYS.paidServiceWallets.toKey(owner))).keys(),
];

/** Extends the record of an unpaid service wallet to 30 days from now, at most once a day. */
export async function renewServiceWalletRecord({ kv, clock }: Deps, publicKey: string): Promise<void> {
  const record = await kv.get<ServiceWalletRecord>(toRecordKey(publicKey));
  const expiresAt = clock.now() + UNPAID_RECORD_TTL_MS;
  if (record?.expiresAt != null && record.expiresAt < expiresAt - DAY_MS)
    await replaceRecord(kv, publicKey, record, { ...record, expiresAt });
}

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
 * Makes the records of paid service wallets permanent. Ignores other addresses.
 * @param knownRecords records that the caller has already read
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
    // A build may have renewed the record since the caller read it. If it happens again, a later round tries.
    if (!isReplaced && knownRecords) await makeServiceWalletRecordsPermanent(deps, [address]);
  };
  await Promise.all(addresses.map(makePermanent));
}

export async function readServiceWalletRecords(
  { kv }: Deps,
  addresses: string[],
): Promise<Map<string, ServiceWalletRecord>> {
  if (addresses.length === 0) return new Map();
  const storedRecords = await kv.getMany<ServiceWalletRecord>(addresses.map((address) => toRecordKey(address)));
  return new Map(addresses.flatMap((address, i) => (storedRecords[i] ? [[address, storedRecords[i]] as const] : [])));
}

export async function findOwnServiceWallets(deps: Deps, owner: string, addresses: string[]): Promise<string[]> {
  const records = await readServiceWalletRecords(deps, addresses);
  return addresses.filter((address) => records.get(address)?.owners.includes(owner));
}

export async function findServiceWallets(deps: Deps, addresses: string[]): Promise<Set<string>> {
  return new Set((await readServiceWalletRecords(deps, addresses)).keys());
}

/*
 * Decides which payees a marked saving may have: a service wallet that is registered here, or one into which a marked
 * saving was built here for the same payer. Otherwise payments would count as saved beside a transfer to any wallet.
 */
const { toKey: toMarkedPayeeKey, ttlMs: PAYEE_TTL_MS } = STORE_KEYS.markedPayee;

/** Records that a marked saving was built. Its payee then counts as a service wallet for this payer. */
export async function recordMarkedPayee({ kv }: Deps, payer: string, payee: string): Promise<void> {
  await kv.set(toMarkedPayeeKey(payer, payee), true, PAYEE_TTL_MS);
}

/**
 * Returns whether the wallet of a mark pays a known service wallet in the same transaction. For a transaction that is not
 * sent yet: on the chain, a mark counts if its signer also paid a fee collector.
 */
export async function paysServiceWallet(deps: Deps, { wallet }: SignedMark, movements: Movement[]) {
  const { kv, feeCollectors } = deps;
  const payments = movements.filter(
    (movement) => movement.from === wallet && movement.to !== wallet && (readMoney(movement) ?? 0n) > 0n,
  );
  const payees = [...new Set(payments.map(({ to }) => to))].filter((to) => !feeCollectors.includes(to));
  if (payees.length === 0) return false;
  const [registeredWallets, markedPayeeRecords] = await Promise.all([
    findServiceWallets(deps, payees),
    kv.getMany<true>(payees.map((payee) => toMarkedPayeeKey(wallet, payee))),
  ]);
  return payees.some((payee, i) => registeredWallets.has(payee) || markedPayeeRecords[i] !== null);
}
