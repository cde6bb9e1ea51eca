import { lamportsToUsd } from "@/lib/domain/money";

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
