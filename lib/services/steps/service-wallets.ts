import type { Deps } from "../../ports/deps";

/*
 * Records of service wallets.
 *
 * The problem: execute must refuse a deposit into a service wallet that lacks the service fee. The address alone does
 * not show that it is a service wallet.
 * The invariant: a service wallet that was ever paid stays known. An unpaid one stays known for 30 days after the last
 * build into it.
 * How it is kept: deriving a wallet writes a record that expires, and each build renews it. Once a payment into the
 * wallet has landed, the record no longer expires.
 * Example: a user derives S and saves into it after two weeks. The build renews the record of S, and the landed saving
 * makes it permanent. Records of wallets that nobody ever pays disappear after 30 days.
 */

const DAY_MS = 86_400_000;
/**
 * Lifetime of the record of an unpaid service wallet. The record must expire, because any caller can derive 256 wallets
 * at no cost.
 */
const UNPAID_RECORD_TTL_MS = 30 * DAY_MS;

/** `true` if the wallet was paid: the record never expires. Otherwise the time of its expiry, ms since the epoch. */
export type ServiceWalletRecord = true | number;

export const toServiceWalletKey = (publicKey: string) => `service-wallet:${publicKey}`;

/** Records a service wallet, so that deposits into it must carry the fee. Does not record its owner. */
export async function recordServiceWallet(deps: Deps, publicKey: string): Promise<void> {
  const expires = deps.clock.now() + UNPAID_RECORD_TTL_MS;
  if (!(await deps.kv.setIfAbsent(toServiceWalletKey(publicKey), expires, UNPAID_RECORD_TTL_MS)))
    await renewServiceWallet(deps, publicKey);
}

/** Extends the record of a service wallet to 30 days from now. Writes at most once a day. */
export async function renewServiceWallet({ kv, clock }: Deps, publicKey: string): Promise<void> {
  const found = await kv.get<ServiceWalletRecord>(toServiceWalletKey(publicKey));
  const expires = clock.now() + UNPAID_RECORD_TTL_MS;
  if (typeof found === "number" && found < expires - DAY_MS)
    await kv.replace(toServiceWalletKey(publicKey), found, expires, UNPAID_RECORD_TTL_MS);
}

/**
 * Makes the records of paid service wallets permanent. Ignores addresses that are not service wallets.
 * @param known records that the caller has already read. If absent, this function reads them
 */
export async function makeRecordsPermanent(
  deps: Deps,
  addresses: string[],
  known?: ReadonlyMap<string, ServiceWalletRecord>,
): Promise<void> {
  const found = known ?? (await readServiceWallets(deps, addresses));
  const storeWallet = async (address: string): Promise<void> => {
    const expires = found.get(address);
    if (typeof expires !== "number") return;
    const isReplaced = await deps.kv.replace(toServiceWalletKey(address), expires, true);
    // A build may have renewed the record since it was read.
    if (!isReplaced && known) await makeRecordsPermanent(deps, [address]);
  };
  await Promise.all(addresses.map(storeWallet));
}

/** Reads the records of those addresses that are service wallets. */
export async function readServiceWallets({ kv }: Deps, addresses: string[]): Promise<Map<string, ServiceWalletRecord>> {
  if (addresses.length === 0) return new Map();
  const found = await kv.getMany<ServiceWalletRecord>(addresses.map(toServiceWalletKey));
  return new Map(addresses.flatMap((address, i) => (found[i] ? [[address, found[i]] as const] : [])));
}

/** Returns the addresses that are recorded as service wallets. */
export async function findServiceWallets(deps: Deps, addresses: string[]): Promise<Set<string>> {
  return new Set((await readServiceWallets(deps, addresses)).keys());
}
