"use client";

import { type ReactNode, type RefObject, useEffect } from "react";
import { refreshWallets } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { SecondaryButton } from "@/app/_components/button";
import { KeepFocus } from "@/app/_components/keep-focus";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import type { FlowWords } from "@/app/dashboard/_flow/flow-words";
import { type FlowHandle, useAutoConfirm } from "@/app/dashboard/_flow/use-flow";
import { lamportsToSol } from "@/lib/domain/money";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";
import type { PayTerms } from "@/lib/sdk/requests";
import { GuardNotice, useGuardCheck } from "../guards/guard-notice";
import { usePayWith } from "../pay/pay-with";
import { ShortOfMoney } from "../topup/short-of-money";
import { SaveBreakdown } from "./save-breakdown";

interface Props<Request extends PayTerms, About extends WrapRecord> extends FlowHandle<Request, WrapBuild, About> {
  words: Pick<FlowWords, "runningTitle" | "doneTitle" | "confirmLabel" | "failedTitle">;
  finalFocus: RefObject<HTMLElement | null>;
  headContent?: ReactNode;
  /** Words for the amount that the service fee is a part of, like "the change". */
  feeBase: string;
  doneContent: ReactNode;
}

/** Refusals that only a saving in USDC meets: no parity, no collector for USDC, or an unusable account. */
const SOL_HELPS_CODES: ReadonlySet<string> = new Set(["service_not_ready", "usdc_account_unusable"]);

/** Runs a saving in a sheet. By allowance, the click that opened the sheet is the only one. */
export function WrapSheet<Request extends PayTerms, About extends WrapRecord>({
  words,
  headContent,
  feeBase,
  ...handle
}: Props<Request, About>) {
  const { flow, state } = handle;
  const { build, error } = state;
  const { wallet, hasServiceKey } = useReadySession();
  const { choose } = usePayWith();
  const request = state.record?.request;
  const by = request?.by;
  const restart = (payTerms: PayTerms) => {
    const { payWith: _payWith, by: _by, ...sharedRequest } = request!;
    void flow.start({ ...sharedRequest, ...payTerms } as Request);
  };
  const startWithSol = () => {
    choose("SOL");
    restart({ payWith: "SOL" });
  };
  const payWithSol = <SecondaryButton onClick={startWithSol}>Pay with SOL</SecondaryButton>;
  const signWithWallet = (
    <SecondaryButton onClick={() => restart({ payWith: "USDC" })}>Sign with my wallet</SecondaryButton>
  );
  const mainWalletLamports = build && !by ? build.breakdown.totalLamports : 0;
  // The limit for one payment was checked before the start. It does not apply to a top-up.
  const blockReason = useGuardCheck(build?.breakdown.roundUpUsd ?? 0, lamportsToSol(mainWalletLamports), 0);
  useAutoConfirm(flow, state, by === "allowance" && hasServiceKey && blockReason === null);
  const failureCode = error instanceof ApiError ? error.code : null;
  const isAllowanceGone = failureCode === "allowance_missing";
  // The reading that promised an allowance is outdated.
  useEffect(() => {
    if (isAllowanceGone) refreshWallets(wallet);
  }, [isAllowanceGone, wallet]);
  return (
    <FlowSheet
      {...handle}
      words={{ reviewTitle: "Review and sign", unknownTitle: "Checking whether it arrived", ...words }}
      opensWithoutForm
      reviewContent={
        build && (
          <KeepFocus className="space-y-5">
            {headContent}
            {build.blocked && (
              <ShortOfMoney {...{ build, by, payWithSol, signWithWallet }} retry={() => void flow.renew(null)} />
            )}
            <SaveBreakdown breakdown={build.breakdown} feeBase={feeBase} by={by} />
            <GuardNotice reason={blockReason} />
          </KeepFocus>
        )
      }
      isBlocked={blockReason !== null || Boolean(build?.blocked)}
      failureAction={
        isAllowanceGone
          ? signWithWallet
          : request?.payWith === "USDC" && SOL_HELPS_CODES.has(failureCode!) && payWithSol
      }
      isSignedByWallet={!by}
    />
  );
}
