"use client";

import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { replaceLamports, Sol } from "@/app/_components/coins";
import { CopyButton } from "@/app/_components/copy-button";
import { UsdAmount } from "@/app/_components/money";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/topup/use-topup";
import { ceilToCents, lamportsToUsd } from "@/lib/domain/money";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { RemainingTokensNote } from "./remaining-tokens-note";

interface Props {
  build: WithdrawBuild;
  solPriceUsd: number | null | undefined;
}

/** Explains why nothing was built, with an action to continue. */
export function WithdrawalNotReadyNotice({ build, solPriceUsd, topup }: Props & { topup: Topup }) {
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
            <TopupChoice
              topup={topup}
              missingUsd={solPriceUsd ? roundMissingAmount(build, solPriceUsd).usd : 0}
              isOneStep={Boolean(solPriceUsd)}
            />
            <CopyButton text={serviceWallet} label="Copy its address" />
          </>
        )
      }
    >
      <RefusalReason build={build} solPriceUsd={solPriceUsd} />
    </Notice>
  );
}

/** Shows the missing amount in SOL and dollars and its purpose, or the service's own reason. */
export function RefusalReason({ build, solPriceUsd }: Props) {
  const { reason, missingLamports, costs, leftBehind, leftOut } = build;
  if (missingLamports === 0) {
    return (
      <>
        <p>{replaceLamports(reason ?? "")}</p>
        {leftBehind.length > 1 && <RemainingTokensNote tokens={leftBehind} />}
        <UnreadAccountsNote accounts={leftOut} />
      </>
    );
  }
  const { lamports, usd } = roundMissingAmount(build, solPriceUsd ?? 0);
  return (
    <p data-testid="missing-sol">
      It needs{" "}
      <strong>
        <Sol lamports={lamports} />
      </strong>{" "}
      more
      {usd > 0 && (
        <>
          , about <UsdAmount usd={usd} />
        </>
      )}
      . That pays the network fee of <Sol lamports={costs.networkFeeLamports} />
      {costs.tokenAccountDepositLamports > 0 ? (
        <>
          {" "}
          and the receiving wallet’s account deposit of <Sol lamports={costs.tokenAccountDepositLamports} />. The rest
          stays yours.
        </>
      ) : (
        <>, and what Solana keeps in an account that is not empty. The rest stays yours.</>
      )}
    </p>
  );
}

/**
 * Rounds the missing amount up to 1,000 lamports and to a cent, so that adding exactly the displayed amount suffices.
 * `usd` is 0 without a price.
 */
function roundMissingAmount({ missingLamports }: WithdrawBuild, solPriceUsd: number) {
  const lamports = Math.ceil(missingLamports / 1_000) * 1_000;
  return { lamports, usd: ceilToCents(lamportsToUsd(lamports, solPriceUsd)) };
}
