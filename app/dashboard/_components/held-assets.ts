import type { Portfolio } from "@/app/_client/queries/queries";
import { ASSETS, type AssetSymbol } from "@/lib/domain/assets";

/** A wallet's holdings of one asset, including older mints and wrapped SOL. */
export interface HeldAsset {
  asset: AssetSymbol;
  /** Base units of the asset. */
  amount: bigint;
  decimals: number;
  /** USD per coin; null while unknown. */
  priceUsd: number | null;
}

/** Returns the assets that can be withdrawn in part. Unknown tokens can only leave with a full withdrawal. */
export function listHeldAssets({ balances }: Portfolio): HeldAsset[] {
  const heldAssets = new Map<AssetSymbol, HeldAsset>();
  for (const { asset, amount, decimals, priceUsd } of balances) {
    // Base units with different decimals cannot be added. The portfolio still lists such a balance.
    if (asset === null || decimals !== ASSETS[asset].decimals) continue;
    const previousAmount = heldAssets.get(asset)?.amount ?? 0n;
    heldAssets.set(asset, { asset, decimals, priceUsd, amount: previousAmount + BigInt(amount) });
  }
  return [...heldAssets.values()];
}

/** Returns the assets that can be sold: all holdings except SOL, which is what a sale pays out. */
export const listSellableAssets = (portfolio: Portfolio) =>
  listHeldAssets(portfolio).filter(({ asset }) => asset !== "SOL");
