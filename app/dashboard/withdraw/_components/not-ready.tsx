"use client";

import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { CopyButton } from "@/app/_components/copy";
import { Sol, solInText, Usd } from "@/app/_components/money";
import { LeftOut } from "@/app/dashboard/_components/left-out";
import { ceilToCents, lamportsToUsd } from "@/lib/domain/money";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { LeftBehind } from "./left-behind";

interface Props {
  build: WithdrawBuild;
  solPriceUsd: number | null | undefined;
}

/** Why nothing was built, and the way on. */
export function NotReady({ build, solPriceUsd }: Props) {
  const { serviceWallet } = useReadySession();
  const lacksSol = build.missingLamports > 0;
  return (
    <Notice
      role="alert"
      tone="warn"
      title={lacksSol ? "Your savings wallet has too little SOL for this" : "This cannot be withdrawn as it is"}
      action={
        lacksSol && (
          <>
            <ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>
            <CopyButton text={serviceWallet} label="Copy its address" />
          </>
        )
      }
    >
      <WhyNot build={build} solPriceUsd={solPriceUsd} />
    </Notice>
  );
}

/** The reason alone: what is missing, in SOL and dollars, and what it is for; else in the service's own words. */
export function WhyNot({ build, solPriceUsd }: Props) {
  const { reason, missingLamports, costs, leftBehind, leftOut } = build;
  if (missingLamports === 0) {
    return (
      <>
        <p>{solInText(reason ?? "")}</p>
        {leftBehind.length > 1 && <LeftBehind list={leftBehind} />}
        <LeftOut list={leftOut} />
      </>
    );
  }
  // Up to the last decimal shown, and to the cent: whoever brings exactly this has enough.
  const lamports = Math.ceil(missingLamports / 1_000) * 1_000;
  const usd = solPriceUsd ? ceilToCents(lamportsToUsd(lamports, solPriceUsd)) : null;
  return (
    <div className="space-y-1">
      <p data-testid="missing-sol">
        It lacks{" "}
        <strong>
          <Sol lamports={lamports} />
        </strong>
        {usd !== null && (
          <>
            , about <Usd value={usd} />
          </>
        )}
        .
      </p>
      <p>
        Sending costs a network fee of <Sol lamports={costs.networkFeeLamports} />
        {costs.tokenAccountDepositLamports > 0 && (
          <>
            , and a deposit of <Sol lamports={costs.tokenAccountDepositLamports} /> opens the token account that the
            receiving wallet does not have yet
          </>
        )}
        . Your savings wallet itself must keep a minimum of SOL meanwhile.
      </p>
      <p>
        Save that much with round-ups, or send it to your savings wallet from any wallet. Then come back here. It stays
        yours: only the network fee is spent.
      </p>
    </div>
  );
}
