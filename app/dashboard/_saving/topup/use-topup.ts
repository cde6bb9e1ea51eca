"use client";

import { recordSavedAmount } from "@/app/_client/local-storage/guards";
import { useReadySession } from "@/app/_client/wallet/session";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { type FlowHandle, useFlow, WALLET_SIGNING_MS } from "@/app/dashboard/_flow/use-flow";
import { useInFlightResume } from "@/app/dashboard/_flow/use-in-flight-resume";
import { createTopupSpec, type TopupRequest } from "@/lib/sdk/flow/topup";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";

export type Topup = FlowHandle<TopupRequest, WrapBuild, WrapRecord>;

/** Manages a top-up. The main wallet signs, and the amount counts towards the person's limits. */
export function useTopup(): Topup {
  const { wallet, serviceWallet, network } = useReadySession();
  const sign = useSignTransaction();
  const handle: Topup = useFlow(() => createTopupSpec(wallet, serviceWallet, network), {
    openSigner: async () => sign,
    signingMs: WALLET_SIGNING_MS,
    onLanded: ({ breakdown }, txSignature) => recordSavedAmount(wallet, breakdown.roundUpUsd, txSignature),
  });
  useInFlightResume(handle);
  return handle;
}
