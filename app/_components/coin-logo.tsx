import type { AssetSymbol } from "@/lib/domain/assets";

/** The style sheet defines a coin's colour for both colour schemes. */
export const getCoinColour = (asset: AssetSymbol): string => `var(--color-${asset.toLowerCase()})`;

/** Place it beside the coin's name, because the image has no alternative text. */
export function CoinLogo({ asset, className = "size-5" }: { asset: AssetSymbol; className?: string }) {
  return (
    <img src={`/coins/${asset.toLowerCase()}.svg`} alt="" width={20} height={20} className={`shrink-0 ${className}`} />
  );
}
