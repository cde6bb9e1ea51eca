"use client";

import { usePrices } from "@/app/_client/queries/queries";
import { fromMicroUsd, lamportsToMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { formatPercent, UsdAmount } from "../_components/money";

/** The page highlights fees above it. */
const HIGH_FEE_SHARE = 0.03;

/** Renders nothing without a price. */
export function NetworkFeeShare({ lamports, savedUsd }: { lamports: bigint; savedUsd: number }) {
  const { data } = usePrices();
  if (!data || savedUsd <= 0) return null;
  const usd = fromMicroUsd(lamportsToMicroUsd(lamports, toMicroUsd(data.prices.SOL)));
  const feeShare = usd / savedUsd;
  return (
    <span className={`block ${feeShare > HIGH_FEE_SHARE ? "text-warn" : "text-soft"}`}>
      <UsdAmount usd={usd} /> or {feeShare < 0.001 ? "less than 0.1 %" : formatPercent(feeShare, 1)} of the change
      {feeShare > HIGH_FEE_SHARE && ": saving together costs less"}
    </span>
  );
}
