"use client";

import { recordSavedAmount } from "@/app/_client/local-storage/guards";
import { followSavedAsset } from "@/app/_client/local-storage/invest-choice";
import { useReadySession } from "@/app/_client/wallet/session";
import { type FlowHandle, useFlow, WALLET_SIGNING_MS } from "@/app/dashboard/_flow/use-flow";
import { useInFlightResume } from "@/app/dashboard/_flow/use-in-flight-resume";
import { createTopupSpec, type TopupRequest } from "@/lib/sdk/flow/topup";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";
import { usePayWith } from "../pay/use-pay-with";
import { useSaverSigner } from "../pay/use-saver-signer";

type TopupHandle = FlowHandle<TopupRequest, WrapBuild, WrapRecord>;

export interface Topup extends TopupHandle {
  /** Starts a top-up, from what the person pays with unless the request names it. */
  start(request: TopupRequest): void;
}

/** Manages a top-up. The main wallet signs, or the savings wallet by allowance, and the amount counts towards the person's limits. */
export function useTopup(): Topup {
  const { wallet, serviceWallet, network } = useReadySession();
  const openSigner = useSaverSigner();
  const { decide } = usePayWith();
  const handle: TopupHandle = useFlow(() => createTopupSpec(wallet, serviceWallet, network), {
    openSigner,
    signingMs: WALLET_SIGNING_MS,
    onLanded({ breakdown }, txSignature) {
      followSavedAsset(wallet, breakdown.roundUpUnits > 0 ? "USDC" : "SOL");
      recordSavedAmount(wallet, breakdown.roundUpUsd, txSignature);
    },
  });
  useInFlightResume(handle);
  return {
    ...handle,
    start: (request) =>
      void decide(request.amountUsd, request.payWith).then((terms) => handle.flow.start({ ...terms, ...request })),
  };
}
