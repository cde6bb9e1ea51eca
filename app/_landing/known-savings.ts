/** localStorage keys that app/_client/wallet/stored-session.ts writes. */
const SERVICE_WALLET_PREFIX = "roundup-service-wallet:";
const NETWORK_PREFIX = "roundup-service-network:";

/** Returns the address of a savings wallet that this browser used on this network, or null. */
export function findKnownSavings(storage: Storage, network: string | undefined): string | null {
  const wallets = Object.keys(storage)
    .filter((key) => key.startsWith(SERVICE_WALLET_PREFIX))
    .map((key) => key.slice(SERVICE_WALLET_PREFIX.length));
  const wallet = wallets.find((address) => storage.getItem(NETWORK_PREFIX + address) === network);
  return wallet === undefined ? null : storage.getItem(SERVICE_WALLET_PREFIX + wallet);
}
