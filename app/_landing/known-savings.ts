import { lamportsToUsd } from "@/lib/domain/money";

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

/** Returns the USD worth of a wallet and its refundable deposits, as in the dashboard, or null when it is unknown. */
export async function readTotal(address: string): Promise<number | null> {
  const read = async (path: string) => (await (await fetch(path)).json()).data;
  try {
    const [{ totalUsd, solPriceUsd }, { items }] = await Promise.all([
      read(`/api/portfolio/${encodeURIComponent(address)}`),
      read(`/api/activity/${encodeURIComponent(address)}?limit=50`),
    ]);
    if (totalUsd === null || solPriceUsd === null) return null;
    const deposits = (items as { tokenAccountDepositLamports: number }[]).reduce(
      (sum, { tokenAccountDepositLamports }) => sum + tokenAccountDepositLamports,
      0,
    );
    return totalUsd + lamportsToUsd(Math.max(0, deposits), solPriceUsd);
  } catch {
    return null;
  }
}
