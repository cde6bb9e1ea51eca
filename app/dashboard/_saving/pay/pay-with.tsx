"use client";

import Link from "next/link";
import { useTerms } from "@/app/_client/local-storage/terms";
import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { formatUsd } from "@/app/_components/money";
import { SegmentedControl } from "@/app/_components/segmented-control";
import type { PayAsset } from "@/lib/domain/assets";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import type { PayTerms } from "@/lib/sdk/requests";
import { useAllowance } from "../allowance/use-allowance";
import { LOW_SOL_LAMPORTS, readUsdcUnits } from "./balances";

const OPTIONS = [
  ["SOL", "SOL"],
  ["USDC", "USDC"],
] as const;

/** Lets the person choose what savings are taken from. Renders nothing if the main wallet holds SOL alone. */
export function PayWithField({ isAlwaysShown = false }: { isAlwaysShown?: boolean }) {
  const { payWith, isOffered, choose, allowanceUsd, isLowOnSol } = usePayWith();
  if (!isOffered && !isAlwaysShown) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1" data-testid="pay-with">
      <span className="text-sm font-medium">Pay with</span>
      <SegmentedControl label="Pay with" options={OPTIONS} value={payWith} onChange={choose} />
      {payWith === "USDC" && !isAlwaysShown && (
        <Link href="/dashboard/settings#allowance" className="text-sm text-accent underline">
          {allowanceUsd > 0 ? `${formatUsd(allowanceUsd)} allowed without signing` : "Save without signing"}
        </Link>
      )}
      {payWith === "USDC" && !isAlwaysShown && isLowOnSol && (
        <Link href="/dashboard/settings#sol" className="text-sm text-accent underline">
          Little SOL for fees
        </Link>
      )}
    </div>
  );
}

const suggestPayAsset = (portfolio: Portfolio | undefined): PayAsset =>
  portfolio && portfolio.pendingUsd !== null && computeUsdcUsd(portfolio) > portfolio.pendingUsd ? "USDC" : "SOL";

/** Returns what the main wallet saves from. */
export function usePayWith() {
  const { wallet, hasServiceKey } = useReadySession();
  const [{ payWith: chosenAsset }, changeTerms] = useTerms(wallet);
  const { data, error, mutate } = usePortfolio(wallet);
  const payWith = chosenAsset ?? suggestPayAsset(data);
  const allowance = useAllowance(payWith === "USDC");
  const allowanceUsd = allowance.data?.remainingUsd ?? 0;
  const isAllowed = (amountUsd: number) => amountUsd > 0 && amountUsd <= allowanceUsd;
  return {
    /** Until the person chooses, USDC if the wallet holds more of it than of SOL. */
    payWith,
    isOffered: payWith === "USDC" || (data !== undefined && readUsdcUnits(data) > 0n),
    /** Whether the main wallet holds little SOL for network fees and deposits. False while unknown. */
    isLowOnSol: data !== undefined && data.pendingLamports < LOW_SOL_LAMPORTS,
    /** 0 while unknown, and while SOL pays. */
    allowanceUsd,
    /** Returns whether a saving would ask the wallet for no signature, not even for the savings key. */
    isUnsigned: (amountUsd: number) => hasServiceKey && isAllowed(amountUsd),
    choose: (asset: PayAsset) => changeTerms({ payWith: asset }),
    /**
     * Returns the terms of a payment that starts now. It goes by allowance only if the reading on the screen suffices:
     * until then, buttons offer a review. Waits for the first reading of the balances.
     * @param amountUsd what leaves the wallet
     * @param requiredAsset what the payment must take, if it is not the person's choice
     */
    async decide(amountUsd: number, requiredAsset?: PayAsset): Promise<PayTerms> {
      const isKnown = chosenAsset !== null || data !== undefined || error !== undefined;
      const asset = requiredAsset ?? (isKnown ? payWith : suggestPayAsset(await mutate().catch(() => undefined)));
      return asset === "SOL" ? {} : { payWith: asset, ...(isAllowed(amountUsd) && { by: "allowance" as const }) };
    },
  };
}
