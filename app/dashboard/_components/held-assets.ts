import type { Portfolio } from "@/app/_client/queries/queries";
import { ASSETS, type AssetSymbol } from "@/lib/domain/assets";

/** A wallet's holdings of one asset, including older mints and wrapped SOL. */
export interface HeldAsset {
  asset: AssetSymbol;
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** USD per coin; null while unknown. */
  priceUsd: number | null;
}

/** Returns the assets that can be withdrawn in part. Unknown tokens can only leave with a full withdrawal. */
export function listHeldAssets({ balances }: Portfolio): HeldAsset[] {
  const held = new Map<AssetSymbol, HeldAsset>();
  for (const { asset, amount, decimals, priceUsd } of balances) {
    // Base units with different decimals cannot be added. The service then reports the balance.
    if (asset === null || decimals !== ASSETS[asset].decimals) continue;
    const before = held.get(asset)?.amount ?? 0n;
    held.set(asset, { asset, decimals, priceUsd, amount: before + BigInt(amount) });
  }
  return [...held.values()];
}

/** Returns the assets that can be sold: all holdings except SOL, which is what a sale pays out. */
export const listSellable = (portfolio: Portfolio) => listHeldAssets(portfolio).filter(({ asset }) => asset !== "SOL");
