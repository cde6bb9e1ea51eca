"use client";

import Link from "next/link";
import { formatUsd } from "@/app/_components/money";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { usePayWith } from "./use-pay-with";

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
