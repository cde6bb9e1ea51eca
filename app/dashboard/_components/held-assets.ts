import type { Portfolio } from "@/app/dashboard/_components/balances";
import { ASSETS, type AssetSymbol } from "@/lib/domain/assets";

/** All that a wallet holds of one asset, older mints of it and wrapped SOL included. */
export interface HeldAsset {
  asset: AssetSymbol;
  /** Base units. */
  amount: bigint;
  decimals: number;
}

/** What can be taken out in part; tokens that are none of the assets only leave with everything. */
export function heldAssets({ balances }: Portfolio): HeldAsset[] {
  const held = new Map<AssetSymbol, HeldAsset>();
  for (const { asset, amount, decimals } of balances) {
    // Base units of different size cannot be added up; then the service says what is there.
    if (asset === null || decimals !== ASSETS[asset].decimals) continue;
    const before = held.get(asset)?.amount ?? 0n;
    held.set(asset, { asset, decimals, amount: before + BigInt(amount) });
  }
  return [...held.values()];
}

/** Typed coins as base units; null when it is no amount or has more decimals than the asset. */
export function readAmount(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,12})(?:[.,](\d*))?$/.exec(text.trim());
  const [whole, fraction = ""] = match?.slice(1) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
