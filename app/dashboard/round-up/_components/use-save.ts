"use client";

import { noteSaved } from "@/app/_client/kept/guards";
import { useReadySession } from "@/app/_client/wallet/session";
import { useWalletSigner } from "@/app/_client/wallet/wallet-signer";
import { type FlowHandle, useFlow } from "@/app/dashboard/_flow/use-flow";
import { type SaveBuild, type Saved, type SaveRequest, saveSpec } from "@/lib/sdk/flow/save";

export type Save = FlowHandle<SaveRequest, SaveBuild, Saved>;

/** Saving: the person's own wallet signs, and what was saved counts towards the person's own caps. */
export function useSave(): Save {
  const { wallet, serviceWallet, network } = useReadySession();
  const sign = useWalletSigner();
  return useFlow(() => saveSpec(wallet, serviceWallet, network), {
    openSigner: async () => sign,
    landed: ({ breakdown }) => noteSaved(wallet, breakdown.roundUpUsd),
  });
}
