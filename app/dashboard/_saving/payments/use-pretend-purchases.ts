"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { useState } from "react";
import { createAppCalls } from "@/app/_client/queries/calls";
import { refreshWallets } from "@/app/_client/queries/queries";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { useReadySession } from "@/app/_client/wallet/session";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { relay } from "@/lib/sdk/flow/relay";
import { systemClock } from "@/lib/sdk/platform";

/** How many shops one click pays. */
const SHOP_COUNT = 4;

export interface PretendPurchases {
  /** Whether the demo wallet is connected on the sandbox, so that play money can be spent. */
  isOffered: boolean;
  isBusy: boolean;
  error: ApiError | null;
  spend(): Promise<void>;
}

/**
 * Returns `spend`, which pays a few sandbox shops, and its state. Only the demo wallet may spend, because nobody reviews
 * these transactions before they are signed.
 */
export function usePretendPurchases(): PretendPurchases {
  const { wallet, serviceWallet, network, credentials } = useReadySession();
  const { wallet: connectedWallet } = useWallet();
  const sign = useSignTransaction();
  const [state, setState] = useState<Pick<PretendPurchases, "isBusy" | "error">>({ isBusy: false, error: null });
  const spend = async () => {
    setState({ isBusy: true, error: null });
    const calls = createAppCalls(credentials);
    try {
      const { payments } = await calls.post("/api/sandbox/spend", { address: wallet, count: SHOP_COUNT });
      if (payments.length === 0) throw new ApiError("simulation_failed", "The wallet has too little play money left.");
      for (const { unsigned } of payments) {
        const outcome = await relay(await sign(unsigned.base64), { calls, clock: systemClock });
        // Every other outcome holds its error as its only member.
        if (!("landed" in outcome)) throw Object.values(outcome)[0];
      }
      setState({ isBusy: false, error: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState({ isBusy: false, error });
    }
    refreshWallets(wallet, serviceWallet);
  };
  return { ...state, isOffered: network === "sandbox" && connectedWallet?.adapter.name === DEMO_WALLET_NAME, spend };
}
