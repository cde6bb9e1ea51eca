"use client";

import type { ReactNode } from "react";
import useSWR from "swr";
import { loadInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { createAppCalls } from "@/app/_client/queries/calls";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Coins, replaceLamports, Sol } from "@/app/_components/coins";
import { CopyButton } from "@/app/_components/copy-button";
import { UsdAmount } from "@/app/_components/money";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import { ceilToCents, lamportsToUsd } from "@/lib/domain/money";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { findPayableOption, RECEIVE_OPTIONS, type ReceiveOption } from "./payable-option";

interface RefusalProps extends Omit<LacksSolProps, "missingLamports"> {
  build: WithdrawBuild;
}

export function WithdrawalNotReadyNotice({ build, ...props }: RefusalProps) {
  if (build.missingLamports > 0) return <LacksSolNotice missingLamports={build.missingLamports} {...props} />;
  return (
    <Notice role="alert" tone="warn" title="This cannot be withdrawn as it is">
      <RefusalReason build={build} />
    </Notice>
  );
}

/** Shows the missing amount in SOL and dollars, or the service's own reason. */
export function RefusalReason({ build }: { build: WithdrawBuild }) {
  const { reason, missingLamports, leftBehind, leftOut } = build;
  if (missingLamports > 0) return <MissingSol lamports={missingLamports} />;
  return (
    <>
      <p>{replaceLamports(reason ?? "")}</p>
      {leftBehind.length > 1 && <RemainingTokensNote tokens={leftBehind} />}
      <UnreadAccountsNote accounts={leftOut} />
    </>
  );
}

export interface RefusedWay {
  option: ReceiveOption;
  destination: string;
  receiveAs: (option: ReceiveOption) => void;
}

interface LacksSolProps {
  missingLamports: number;
  topup: Topup;
  /** Null when only a part was asked for. */
  refusedWay: RefusedWay | null;
}

/** Says how much SOL is missing, and offers the way that needs no more. Offers to add the SOL if there is none. */
export function LacksSolNotice({ missingLamports, topup, refusedWay }: LacksSolProps) {
  const { serviceWallet } = useReadySession();
  const { usd } = useMissingAmount(missingLamports);
  const { data: payableOption, isLoading } = usePayableOption(refusedWay, missingLamports);
  const optionName = RECEIVE_OPTIONS.find(([option]) => option === payableOption)?.[1];
  const topupChoice = (
    <TopupChoice topup={topup} missingUsd={usd} isOneStep={usd > 0} variant={payableOption ? "secondary" : "primary"} />
  );
  return (
    <Notice
      role="alert"
      tone="warn"
      title="Your savings wallet has too little SOL for this"
      action={
        payableOption ? (
          <>
            <Button onClick={() => refusedWay?.receiveAs(payableOption)}>{`Choose “${optionName}”`}</Button>
            {topupChoice}
          </>
        ) : (
          !isLoading && (
            <>
              {topupChoice}
              <CopyButton text={serviceWallet} label="Copy its address" />
            </>
          )
        )
      }
    >
      <MissingSol lamports={missingLamports}>
        {payableOption ? ` “${optionName}” needs no more.` : " All but the network fee stays yours."}
      </MissingSol>
    </Notice>
  );
}

function usePayableOption(refusedWay: RefusedWay | null, missingLamports: number) {
  const { wallet, serviceWallet, network, credentials } = useReadySession();
  const { data: portfolio } = usePortfolio(serviceWallet);
  const { option = "coins", destination = "" } = refusedWay ?? {};
  return useSWR<ReceiveOption | null, Error>(
    refusedWay && portfolio && ["payable-option", serviceWallet, option, destination, missingLamports],
    () =>
      findPayableOption(createAppCalls(credentials), option, {
        serviceWallet,
        network,
        destination,
        slippageBps: loadInvestChoice(wallet).slippageBps,
        portfolio: portfolio!,
      }),
    { revalidateOnFocus: false, revalidateOnReconnect: false, shouldRetryOnError: false },
  );
}

export function MissingSol({ lamports: missingLamports, children }: { lamports: number; children?: ReactNode }) {
  const { lamports, usd } = useMissingAmount(missingLamports);
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
      .{children}
    </p>
  );
}

/** Rounds up to 1,000 lamports and to a cent, so that adding what is displayed suffices. `usd` is 0 without a price. */
function useMissingAmount(missingLamports: number) {
  const { data } = usePortfolio(useReadySession().serviceWallet);
  const lamports = Math.ceil(missingLamports / 1_000) * 1_000;
  return { lamports, usd: ceilToCents(lamportsToUsd(lamports, data?.solPriceUsd ?? 0)) };
}

export function RemainingTokensNote({
  tokens,
  className,
}: {
  tokens: WithdrawBuild["leftBehind"];
  className?: string;
}) {
  if (tokens.length === 0) return null;
  return (
    <Notice testId="left-behind" className={className} tone="warn" title="Some tokens stay behind">
      <ul className="mt-1 list-disc pl-5">
        {tokens.map(({ mint, symbol, amount, decimals, reason }) => (
          <li key={`${mint}:${reason}:${amount}`}>
            <Coins amount={amount} decimals={decimals} symbol={symbol} />: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
