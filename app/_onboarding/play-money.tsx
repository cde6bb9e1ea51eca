"use client";

import { useState } from "react";
import { calls } from "@/app/_client/queries/calls";
import { refreshWallets, usePortfolio } from "@/app/_client/queries/queries";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Failure } from "@/app/_components/state-view";
import { ApiError } from "@/lib/sdk/calls/api-error";

/** The SOL is worth more than the USDC, so that savings are taken from it by default. */
export const GIFT = { sol: 2, usdc: 50 };

/** Requests play money; resolves to whether it arrived. @param serviceWallet is read again with the main wallet */
export function useAirdrop(address: string, serviceWallet: string | null = null) {
  const [state, setState] = useState<"idle" | "busy" | "done">("idle");
  const [error, setError] = useState<ApiError | null>(null);
  const requestPlayMoney = async (): Promise<boolean> => {
    setState("busy");
    setError(null);
    try {
      await calls.post("/api/sandbox/airdrop", { address, ...GIFT });
      setState("done");
      refreshWallets(address, serviceWallet);
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setState("idle");
      setError(failure);
      return false;
    }
  };
  return { state, error, request: requestPlayMoney };
}

export const PLAY_MONEY_LABEL = "Get play money";

/** For an empty main wallet in the sandbox. */
export function PlayMoney({ wallet }: { wallet: string }) {
  const { data } = usePortfolio(wallet);
  const { state, error, request } = useAirdrop(wallet);
  if (state === "done") {
    return (
      <Notice
        role="status"
        tone="good"
        title={`${GIFT.sol} SOL and ${GIFT.usdc} USDC of play money are in your wallet`}
      >
        <p>Enough for many savings. Go on to save your first change.</p>
      </Notice>
    );
  }
  if (error) return <Failure error={error} retry={request} />;
  if (data?.pendingLamports !== 0) return null;
  return (
    <Notice
      title="Your wallet is empty"
      action={
        <Button isBusy={state === "busy"} onClick={request}>
          {PLAY_MONEY_LABEL}
        </Button>
      }
    />
  );
}
