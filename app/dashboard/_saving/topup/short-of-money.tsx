"use client";

import { isSandbox } from "@/app/_client/network";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Sol } from "@/app/_components/coins";
import { PLAY_MONEY_LABEL, useAirdrop } from "@/app/_onboarding/play-money";

/** Warns that the main wallet would end below the rent-exempt minimum. The chain would reject the whole transaction. */
export function ShortOfMoney({ totalLamports, retry }: { totalLamports: number; retry: () => void }) {
  const { wallet, serviceWallet } = useReadySession();
  const { data } = usePortfolio(wallet);
  const airdrop = useAirdrop(wallet, serviceWallet);
  const isPlayMoney = isSandbox();
  return (
    <Notice
      tone="warn"
      role="alert"
      title="Your main wallet is short of SOL"
      action={
        isPlayMoney && (
          <Button
            isBusy={airdrop.state === "busy"}
            onClick={() => void airdrop.request().then((hasArrived) => hasArrived && retry())}
          >
            {PLAY_MONEY_LABEL}
          </Button>
        )
      }
    >
      <p>
        This takes <Sol lamports={totalLamports} />; your wallet holds <Sol lamports={data?.pendingLamports} />. A
        little more has to stay in it, since Solana allows no nearly empty wallets.
        {!isPlayMoney && " Send some SOL to it, then try again."}
      </p>
      {airdrop.error && <p className="mt-2">{airdrop.error.message}</p>}
    </Notice>
  );
}
