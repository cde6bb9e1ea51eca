"use client";

import { useId } from "react";
import { BUYABLE_ASSETS, type BuyableAsset } from "@/app/_client/local-storage/invest-choice";
import { usePrices } from "@/app/_client/queries/queries";
import { CoinLogo } from "@/app/_components/coin-logo";
import { Usd } from "@/app/_components/money";
import { ASSETS } from "@/lib/domain/assets";

/** A short explanation of each asset for newcomers. */
const ABOUT: Record<BuyableAsset, string> = {
  BTC: "Bitcoin, as cbBTC",
  ETH: "Ether, through Portal",
  USDC: "US dollar, by Circle",
  USDT: "US dollar, by Tether",
};

/** Chooses one of four assets. */
export function AssetChoice({ value, onChange }: { value: BuyableAsset; onChange: (asset: BuyableAsset) => void }) {
  const name = useId();
  const { data } = usePrices();
  return (
    <fieldset>
      <legend className="sr-only">Target asset</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {BUYABLE_ASSETS.map((asset) => (
          <label
            key={asset}
            title={ASSETS[asset].name}
            className="flex min-h-16 items-center gap-3 rounded-xl border border-line px-4 py-3 hover:bg-raised has-checked:border-accent has-checked:bg-accent-wash has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={asset}
              checked={value === asset}
              onChange={() => onChange(asset)}
              className="size-4 shrink-0 accent-(--accent)"
            />
            <span className="min-w-0 grow">
              <span className="flex items-center gap-2 font-medium">
                <CoinLogo asset={asset} />
                {asset}
              </span>
              <span className="block text-sm text-soft">{ABOUT[asset]}</span>
            </span>
            <span className="shrink-0 text-sm text-soft">
              <Usd value={data?.prices[asset]} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
