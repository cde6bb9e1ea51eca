"use client";

import { useEffect, useRef } from "react";
import { isSandbox } from "@/app/_client/network";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CopyButton } from "@/app/_components/copy-button";
import { KeepFocus } from "@/app/_components/keep-focus";
import { ShortAddress } from "@/app/_components/short-address";
import { PlayMoney } from "./play-money";

export function OnboardingDone({ onContinue }: { onContinue: () => void }) {
  const { wallet, serviceWallet } = useReadySession();
  const { data: mainPortfolio } = usePortfolio(wallet);
  const isPlayMoney = isSandbox();
  const isMainWalletEmpty = isPlayMoney && mainPortfolio?.pendingLamports === 0;
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    headingRef.current?.focus();
  }, []);
  return (
    <div className="mx-auto max-w-2xl">
      <h1 ref={headingRef} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
        You are set up
      </h1>
      <Card className="mt-6">
        <Wallet label="Main wallet" note="Pays the change." address={wallet} />
        <div className="my-4 border-t border-line" />
        <Wallet label="Savings wallet" note="Yours alone." address={serviceWallet} />
      </Card>
      {isPlayMoney && (
        <KeepFocus className="mt-4">
          <PlayMoney wallet={wallet} />
        </KeepFocus>
      )}
      <Button
        variant={isMainWalletEmpty ? "secondary" : "primary"}
        className="mt-6 w-full sm:w-auto"
        onClick={onContinue}
      >
        Continue
      </Button>
    </div>
  );
}

function Wallet({ label, note, address }: { label: string; note: string; address: string }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0">
        <p className="font-medium">
          {label} <ShortAddress text={address} />
        </p>
        <p className="text-sm text-soft">{note}</p>
      </div>
      <CopyButton text={address} label="Copy address" ariaLabel={`Copy address of your ${label.toLowerCase()}`} />
    </div>
  );
}
