"use client";

import { useId } from "react";
import { usePrices } from "@/app/_client/queries/queries";
import { CoinLogo } from "@/app/_components/coin-logo";
import { UsdAmount } from "@/app/_components/money";
import { ChoiceCard } from "@/app/dashboard/_components/choice-card";
import { ASSETS, type AssetSymbol, type PayAsset, TRADED_ASSETS, type TradedAsset } from "@/lib/domain/assets";

/** A short explanation of each asset for newcomers. */
const DESCRIPTIONS: Record<TradedAsset, string> = {
  BTC: "Bitcoin, as cbBTC",
  ETH: "Ether, through Portal",
  USDC: "US dollar, by Circle",
  USDT: "US dollar, by Tether",
};

interface Props {
  payWith: PayAsset;
  value: AssetSymbol;
  onChange: (asset: TradedAsset) => void;
}

/** Lets the person choose one asset to buy. Shows each asset's price. */
export function AssetChoice({ payWith, value, onChange }: Props) {
  const groupName = useId();
  const { data } = usePrices();
  return (
    <fieldset>
      <legend className="sr-only">Target asset</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {TRADED_ASSETS.filter((asset) => asset !== payWith).map((asset) => (
          <ChoiceCard
            key={asset}
            name={groupName}
            title={ASSETS[asset].name}
            checked={value === asset}
            onChoose={() => onChange(asset)}
          >
            <span className="min-w-0 grow">
              <span className="flex items-center gap-2 font-medium">
                <CoinLogo asset={asset} />
                {asset}
              </span>
              <span className="block text-sm text-soft">{DESCRIPTIONS[asset]}</span>
            </span>
            <span className="shrink-0 text-sm text-soft">
              <UsdAmount usd={data?.prices[asset]} />
            </span>
          </ChoiceCard>
        ))}
      </div>
    </fieldset>
  );
}
