import type { AssetSymbol } from "@/lib/domain/assets";

/** The sign of a coin, beside its name: the name carries the meaning. */
export function CoinLogo({ asset, className = "size-5" }: { asset: AssetSymbol; className?: string }) {
  return (
    <img src={`/coins/${asset.toLowerCase()}.svg`} alt="" width={20} height={20} className={`shrink-0 ${className}`} />
  );
}
