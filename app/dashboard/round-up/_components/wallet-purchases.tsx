"use client";

import { useOverview } from "@/app/_client/queries/overview";
import { useReadySession } from "@/app/_client/wallet/session";
import { SkeletonLines } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { FromWallet } from "../../_saving/payments/from-wallet";
import type { Save } from "../../_saving/wrap/use-save";

/** Offers to save the change of the wallet's own payments. */
export function WalletPurchases({ save }: { save: Save }) {
  const { data, error, mutate } = useOverview(useReadySession());
  const retry = () => void mutate();
  if (!data) {
    if (error) return <Failure error={error} retry={retry} title="Your payments cannot be read right now" />;
    return <SkeletonLines lines={5} label="Reading your payments" />;
  }
  return (
    <>
      <FromWallet overview={data} save={save} retry={retry} />
      <StaleNote error={error} retry={retry} />
    </>
  );
}
