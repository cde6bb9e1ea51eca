"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { createAppCalls } from "@/app/_client/queries/calls";
import { refreshWallets } from "@/app/_client/queries/queries";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { useReadySession } from "@/app/_client/wallet/session";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { useTask } from "@/app/_components/use-task";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { relay } from "@/lib/sdk/flow/relay";
import { systemClock } from "@/lib/sdk/platform";

const SHOP_COUNT = 4;

export type PretendPurchases = ReturnType<typeof usePretendPurchases>;

/** Pays a few sandbox shops. Only the demo wallet may, because nobody reviews these transactions. */
export function usePretendPurchases() {
  const { wallet, serviceWallet, network, credentials } = useReadySession();
  const { wallet: connectedWallet } = useWallet();
  const sign = useSignTransaction();
  const { run, isBusy, error } = useTask(async () => {
    const calls = createAppCalls(credentials);
    try {
      const { payments } = await calls.post("/api/sandbox/spend", { address: wallet, count: SHOP_COUNT });
      if (payments.length === 0) throw new ApiError("simulation_failed", "The wallet has too little play money left.");
      for (const { unsigned } of payments) {
        const outcome = await relay(await sign(unsigned.base64), { calls, clock: systemClock });
        // Every other outcome holds its error as its only member.
        if (!("landed" in outcome)) throw Object.values(outcome)[0];
      }
    } finally {
      refreshWallets(wallet, serviceWallet);
    }
  });
  const isOffered = network === "sandbox" && connectedWallet?.adapter.name === DEMO_WALLET_NAME;
  return { isOffered, isBusy, error: error instanceof ApiError ? error : null, spend: run };
}
