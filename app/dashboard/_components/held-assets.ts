import type { Portfolio } from "@/app/_client/queries/queries";
import { findKnownTokenByMint, KNOWN_TOKENS, type KnownToken, TRADED_ASSETS } from "@/lib/domain/assets";

/** A wallet's holdings of one asset, including older mints and wrapped SOL. */
export interface HeldAsset {
  asset: KnownToken;
  /** Base units of the asset. */
  amount: bigint;
  decimals: number;
  /** USD per coin; null while unknown. */
  priceUsd: number | null;
}

/** Returns the assets that can be withdrawn in part. Unknown tokens can only leave with a full withdrawal. */
export function listHeldAssets({ balances }: Portfolio): HeldAsset[] {
  const heldAssets = new Map<KnownToken, HeldAsset>();
  for (const { mint, amount, decimals, priceUsd } of balances) {
    const asset = findKnownTokenByMint(mint);
    // Base units with different decimals cannot be added. The portfolio still lists such a balance.
    if (asset === null || decimals !== KNOWN_TOKENS[asset].decimals) continue;
    const previousAmount = heldAssets.get(asset)?.amount ?? 0n;
    heldAssets.set(asset, { asset, decimals, priceUsd, amount: previousAmount + BigInt(amount) });
  }
  return [...heldAssets.values()];
}

/** Returns the assets that can be sold. SOL is what a sale pays out. */
export const listSellableAssets = (portfolio: Portfolio) =>
  listHeldAssets(portfolio).filter(({ asset }) => TRADED_ASSETS.some((traded) => traded === asset));
