const SAVINGS = "roundup-service-wallet:";
const NETWORK = "roundup-service-network:";

/** Returns the address of a savings wallet that this browser used on this network, or null. */
export function knownSavings(storage: Storage, network: string | undefined): string | null {
  const wallets = Object.keys(storage)
    .filter((key) => key.startsWith(SAVINGS))
    .map((key) => key.slice(SAVINGS.length));
  const wallet = wallets.find((one) => storage.getItem(NETWORK + one) === network);
  return wallet === undefined ? null : storage.getItem(SAVINGS + wallet);
}

/** Returns the USD worth of a wallet, or null when it cannot be read. */
export async function readTotal(address: string): Promise<number | null> {
  try {
    const response = await fetch(`/api/portfolio/${encodeURIComponent(address)}`);
    return (await response.json()).data.totalUsd;
  } catch {
    return null;
  }
}
