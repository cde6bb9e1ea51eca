"use client";

import { useReadySession } from "@/app/_client/wallet/session";
import { runIfRemembered } from "@/app/_client/wallet/session-end";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import type { FlowContext } from "@/lib/sdk/flow/types";
import { signWithKey } from "@/lib/sdk/sign/transactions";

/** Returns a function that prepares the wallet that signs a saving: the main wallet, or the savings wallet's key. */
export function useSaverSigner(): FlowContext["openSigner"] {
  const { serviceWallet, getServiceKey } = useReadySession();
  const sign = useSignTransaction();
  return async (signer) => {
    if (signer !== serviceWallet) return sign;
    const serviceKey = await getServiceKey();
    return (transaction) => runIfRemembered(async () => signWithKey(transaction, serviceKey));
  };
}
