"use client";

import { findBlockingReason, useGuards, useSavedTotals } from "@/app/_client/local-storage/guards";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";

/**
 * Returns the reason why the person's guards block this save, or null if they allow it.
 * @param roundUpUsd USD of all change together
 * @param totalSol SOL that leaves the main wallet; 0 while no transaction is built
 * @param largestUsd USD of the largest change of one payment; 0 skips the limit for one payment
 */
export function useGuardCheck(roundUpUsd: number, totalSol: number, largestUsd = roundUpUsd): string | null {
  const { wallet } = useReadySession();
  const [guards] = useGuards(wallet);
  // Render again when another tab saves: findBlockingReason reads the saved totals.
  useSavedTotals(wallet);
  const { data } = usePortfolio(wallet);
  const isAboveCeiling = guards.ceilingUsd !== null && largestUsd > guards.ceilingUsd;
  if (!guards.paused && isAboveCeiling) return "The change of a payment here is above your limit for one payment.";
  return findBlockingReason({ ...guards, ceilingUsd: null }, wallet, roundUpUsd, data?.pendingSol ?? null, totalSol);
}

export function GuardNotice({ reason }: { reason: string | null }) {
  if (!reason) return null;
  return (
    <Notice tone="warn" role="status" title="Your own limits stop this">
      <p>{reason} You can change it under “My limits”.</p>
    </Notice>
  );
}
