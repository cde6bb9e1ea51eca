"use client";

import { noteSaved } from "@/app/_client/local-storage/guards";
import { useReadySession } from "@/app/_client/wallet/session";
import { useWalletSigner } from "@/app/_client/wallet/wallet-signer";
import { type FlowHandle, useFlow } from "@/app/dashboard/_flow/use-flow";
import { type TopupRequest, topupSpec } from "@/lib/sdk/flow/topup";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";

export type Topup = FlowHandle<TopupRequest, WrapBuild, WrapRecord>;

/** Adding an amount: the person's own wallet signs, and it counts towards the person's own caps. */
export function useTopup(): Topup {
  const { wallet, serviceWallet, network } = useReadySession();
  const sign = useWalletSigner();
  return useFlow(() => topupSpec(wallet, serviceWallet, network), {
    openSigner: async () => sign,
    landed: ({ breakdown }, txSignature) => noteSaved(wallet, breakdown.roundUpUsd, txSignature),
  });
}
