"use client";

import { usePrices } from "@/app/_client/queries/queries";
import { Notice } from "@/app/_components/card";
import type { AssetSymbol } from "@/lib/domain/assets";

/** Warns which chosen assets cannot be bought because their price is unavailable. */
export function PriceProblems({ assets }: { assets: AssetSymbol[] }) {
  const { data } = usePrices();
  const problems = data?.problems.filter(({ asset }) => asset === "SOL" || assets.includes(asset)) ?? [];
  return (
    <div role="status" className="not-empty:mt-4" data-testid="price-problems">
      {problems.length > 0 && (
        <Notice tone="warn" title={`${problems.map(({ asset }) => asset).join(", ")} cannot be traded right now`}>
          {problems.map(({ asset, message }) => (
            <p key={asset}>
              {asset}: {message}
            </p>
          ))}
          <p>
            Nothing is built at an uncertain price.
            {problems.every(({ asset }) => asset !== "SOL") && " What you choose without it can be bought as always."}
          </p>
        </Notice>
      )}
    </div>
  );
}
