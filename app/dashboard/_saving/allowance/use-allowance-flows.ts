"use client";

import { removeAllowance, storeAllowance, useWasAllowed } from "@/app/_client/local-storage/allowance";
import { useReadySession } from "@/app/_client/wallet/session";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { type FlowHandle, useFlow, WALLET_SIGNING_MS } from "@/app/dashboard/_flow/use-flow";
import { useInFlightResume } from "@/app/dashboard/_flow/use-in-flight-resume";
import {
  type AllowanceBuild,
  type AllowanceRecord,
  type AllowanceRequest,
  createAllowanceSpec,
  createRevocationSpec,
  type RevocationBuild,
  type RevocationRecord,
  type RevocationRequest,
} from "@/lib/sdk/flow/allowance";

export type AllowanceFlow = FlowHandle<AllowanceRequest, AllowanceBuild, AllowanceRecord>;
export type RevocationFlow = FlowHandle<RevocationRequest, RevocationBuild, RevocationRecord>;

/** Manages the allowance and its end. The main wallet signs both. */
export function useAllowanceFlows() {
  const { wallet, serviceWallet, network } = useReadySession();
  const sign = useSignTransaction();
  const signer = { openSigner: async () => sign, signingMs: WALLET_SIGNING_MS };
  const allowance: AllowanceFlow = useFlow(() => createAllowanceSpec(wallet, serviceWallet, network), {
    ...signer,
    onLanded: () => storeAllowance(wallet),
  });
  const revocation: RevocationFlow = useFlow(() => createRevocationSpec(wallet, serviceWallet, network), {
    ...signer,
    onLanded: () => removeAllowance(wallet),
  });
  useInFlightResume(allowance);
  useInFlightResume(revocation);
  return { allowance, revocation, isUsedUp: useWasAllowed(wallet) };
}
