import { toCoins } from "@/lib/domain/money";

/** Returns the worth of base units, USD, or null without a price. */
export const computeWorthUsd = (
  amount: string,
  decimals: number,
  priceUsd: number | null | undefined,
): number | null => (priceUsd ? toCoins(BigInt(amount), decimals) * priceUsd : null);
