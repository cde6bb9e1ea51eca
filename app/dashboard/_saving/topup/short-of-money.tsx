"use client";

import type { ReactNode } from "react";
import { isSandbox } from "@/app/_client/network";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Sol, Usdc } from "@/app/_components/coins";
import { CopyButton } from "@/app/_components/copy-button";
import { formatUsd } from "@/app/_components/money";
import { PLAY_MONEY_LABEL, useAirdrop } from "@/app/_onboarding/play-money";
import { ceilToCents, lamportsToUsd } from "@/lib/domain/money";
import type { WrapBuild } from "@/lib/sdk/flow/wraps";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import type { PayTerms } from "@/lib/sdk/requests";
import { computeHighestRent } from "@/lib/solana/rent";
import { computeSolOfferUsd, readUsdcUnits } from "../pay/balances";

interface Props {
  build: WrapBuild;
  by: PayTerms["by"];
  retry: () => void;
  /** Buttons that start the same payment on other terms. */
  payWithSol: ReactNode;
  signWithWallet: ReactNode;
}

/** Warns that the wallet that pays has too little for a saving, and offers the smallest way to get what is missing. */
export function ShortOfMoney({ build: { breakdown, shortOf }, by, retry, payWithSol, signWithWallet }: Props) {
  const { wallet } = useReadySession();
  const { data } = usePortfolio(wallet);
  const { roundUpUnits, totalLamports, solPriceUsd } = breakdown;
  if (shortOf === "USDC") {
    const heldUnits = data && readUsdcUnits(data);
    return (
      <ShortNotice address={wallet} asset="USDC" retry={retry} otherAction={payWithSol}>
        This takes <Usdc units={roundUpUnits} />; your wallet holds {heldUnits ? <Usdc units={heldUnits} /> : "none"}.
      </ShortNotice>
    );
  }
  return (
    <ShortOfSol
      {...{ totalLamports, solPriceUsd, retry }}
      isSavingsWallet={by !== undefined}
      otherAction={by && signWithWallet}
      reason={roundUpUnits > 0 ? "Solana’s network fees and deposits are paid in SOL. " : ""}
    />
  );
}

interface ShortOfSolProps {
  totalLamports: number;
  solPriceUsd: number | null;
  retry: () => void;
  isSavingsWallet?: boolean;
  reason?: string;
  otherAction?: ReactNode;
}

/** Warns that the wallet would end below the rent-exempt minimum. The chain would reject the whole transaction. */
export function ShortOfSol(props: ShortOfSolProps) {
  const { totalLamports, solPriceUsd, retry, isSavingsWallet, reason, otherAction } = props;
  const { wallet, serviceWallet } = useReadySession();
  const payer = isSavingsWallet ? serviceWallet : wallet;
  const { data } = usePortfolio(payer);
  const heldLamports = data?.pendingLamports;
  const offerUsd = data && !isSavingsWallet && computeSolOfferUsd(solPriceUsd);
  const missingLamports = totalLamports + Number(computeHighestRent(0n)) - (heldLamports ?? Number.POSITIVE_INFINITY);
  const toWorth = (lamports: number) =>
    solPriceUsd === null ? "" : ` (${formatUsd(ceilToCents(lamportsToUsd(lamports, solPriceUsd)))})`;
  return (
    <ShortNotice
      address={payer}
      asset="SOL"
      {...{ retry, isSavingsWallet }}
      otherAction={
        otherAction ??
        (offerUsd && computeUsdcUsd(data) >= offerUsd && (
          <ButtonLink href="/dashboard/settings#sol" variant="secondary">
            Get SOL for USDC
          </ButtonLink>
        ))
      }
    >
      {reason}This takes <Sol lamports={totalLamports} />
      {toWorth(totalLamports)}; {isSavingsWallet ? "it" : "your wallet"} holds <Sol lamports={heldLamports} />. A little
      more has to stay in it, since Solana allows no nearly empty wallets.
      {missingLamports > 0 && (
        <>
          {" "}
          Add <Sol lamports={missingLamports} />
          {toWorth(missingLamports)}, then try again.
        </>
      )}
      {isSavingsWallet && " A new allowance under Settings adds SOL for 20 savings too."}
    </ShortNotice>
  );
}

interface ShortNoticeProps {
  address: string;
  asset: "SOL" | "USDC";
  isSavingsWallet?: boolean | undefined;
  retry: () => void;
  otherAction?: ReactNode;
  children: ReactNode;
}

function ShortNotice({ address, asset, isSavingsWallet, retry, otherAction, children }: ShortNoticeProps) {
  const { wallet, serviceWallet } = useReadySession();
  const airdrop = useAirdrop(address, isSavingsWallet ? wallet : serviceWallet);
  return (
    <Notice
      tone="warn"
      role="alert"
      title={`Your ${isSavingsWallet ? "savings" : "main"} wallet is short of ${asset}`}
      action={
        <>
          {isSandbox() ? (
            <Button
              isBusy={airdrop.state === "busy"}
              onClick={() => void airdrop.request().then((hasArrived) => hasArrived && retry())}
            >
              {PLAY_MONEY_LABEL}
            </Button>
          ) : (
            <CopyButton text={address} label={`Copy my address to send ${asset} to`} />
          )}
          {otherAction}
        </>
      }
    >
      <p>{children}</p>
      {airdrop.error && <p className="mt-2">{airdrop.error.message}</p>}
    </Notice>
  );
}
