import type { Deps } from "../../ports";

const keyOf = (publicKey: string) => `service-wallet:${publicKey}`;

/** Remembered without expiry and without its owner: only that deposits into it carry the fee. */
export async function rememberServiceWallet({ kv }: Deps, publicKey: string): Promise<void> {
  await kv.setIfAbsent(keyOf(publicKey), true);
}

/** Those of the addresses that this service derived. */
export async function knownServiceWallets({ kv }: Deps, addresses: string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const found = await kv.getMany<boolean>(addresses.map(keyOf));
  return new Set(addresses.filter((_, i) => found[i]));
}
