import type { Deps } from "../../ports/deps";

const DAY_MS = 86_400_000;
/** The record of a wallet that was never paid into expires: any caller may derive 256 of them at no cost. */
const UNPAID_KEPT_MS = 30 * DAY_MS;

/** True: paid into, kept for good. A number: when the record expires, ms since the epoch. */
type ServiceWallet = true | number;

const keyOf = (publicKey: string) => `service-wallet:${publicKey}`;

/** Remembered without its owner: only that deposits into it carry the fee. */
export async function rememberServiceWallet(deps: Deps, publicKey: string): Promise<void> {
  const expires = deps.clock.now() + UNPAID_KEPT_MS;
  if (!(await deps.kv.setIfAbsent(keyOf(publicKey), expires, UNPAID_KEPT_MS)))
    await renewServiceWallet(deps, publicKey);
}

/** Keeps a remembered wallet for another 30 days; written once a day at most. */
export async function renewServiceWallet({ kv, clock }: Deps, publicKey: string): Promise<void> {
  const found = await kv.get<ServiceWallet>(keyOf(publicKey));
  const expires = clock.now() + UNPAID_KEPT_MS;
  if (typeof found === "number" && found < expires - DAY_MS)
    await kv.replace(keyOf(publicKey), found, expires, UNPAID_KEPT_MS);
}

/** Keeps those of the addresses that are remembered for good: something was paid into them. */
export async function keepPaidServiceWallets({ kv }: Deps, addresses: string[]): Promise<void> {
  const keys = addresses.map(keyOf);
  const found = keys.length > 0 ? await kv.getMany<ServiceWallet>(keys) : [];
  const unpaid = keys.flatMap((key, i) => (typeof found[i] === "number" ? [{ key, expires: found[i] }] : []));
  await Promise.all(unpaid.map(({ key, expires }) => kv.replace(key, expires, true)));
}

/** Those of the addresses that this service derived. */
export async function knownServiceWallets({ kv }: Deps, addresses: string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const found = await kv.getMany<ServiceWallet>(addresses.map(keyOf));
  return new Set(addresses.filter((_, i) => found[i]));
}
