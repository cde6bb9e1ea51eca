import type { AssetSymbol } from "@/lib/domain/assets";

/** Returns a coin's colour in charts. The style sheet defines it for both colour schemes. */
export const getCoinColour = (asset: AssetSymbol): string => `var(--color-${asset.toLowerCase()})`;

/** Draws a coin's logo. Place it beside the coin's name, because the image has no alternative text. */
export function CoinLogo({ asset, className = "size-5" }: { asset: AssetSymbol; className?: string }) {
  return (
    <img src={`/coins/${asset.toLowerCase()}.svg`} alt="" width={20} height={20} className={`shrink-0 ${className}`} />
  );
}
