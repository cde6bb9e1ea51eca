"use client";

import { removeAllowance, storeAllowance, useWasAllowed } from "@/app/_client/local-storage/allowance";
import { useReadySession } from "@/app/_client/wallet/session";
import { useWalletFlow } from "@/app/dashboard/_flow/use-flow";
import { createAllowanceSpec, createRevocationSpec } from "@/lib/sdk/flow/allowance";

export type AllowanceFlow = ReturnType<typeof useAllowanceFlows>["allowance"];
export type RevocationFlow = ReturnType<typeof useAllowanceFlows>["revocation"];

export function useAllowanceFlows() {
  const { wallet } = useReadySession();
  const allowance = useWalletFlow(createAllowanceSpec, () => storeAllowance(wallet));
  const revocation = useWalletFlow(createRevocationSpec, () => removeAllowance(wallet));
  return { allowance, revocation, isUsedUp: useWasAllowed(wallet) };
}
