"use client";

import type { ReactNode, RefObject } from "react";
import { useSession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { KeepFocus } from "@/app/_components/keep-focus";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import type { FlowWords } from "@/app/dashboard/_flow/flow-words";
import { useAutoConfirm } from "@/app/dashboard/_flow/use-auto-confirm";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import { lamportsToSol } from "@/lib/domain/money";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";
import type { PayTerms } from "@/lib/sdk/requests";
import { GuardNotice, useGuardCheck } from "../guards/guard-notice";
import { usePayWith } from "../pay/use-pay-with";
import { PayWithSolButton, ShortOfMoney } from "../topup/short-of-money";
import { SaveBreakdown } from "./save-breakdown";

interface Props<Request extends PayTerms, About extends WrapRecord> extends FlowHandle<Request, WrapBuild, About> {
  words: Pick<FlowWords, "runningTitle" | "doneTitle" | "confirmLabel" | "failedTitle">;
  finalFocus: RefObject<HTMLElement | null>;
  /** Content above the figures. */
  headContent?: ReactNode;
  /** Words for the amount that the service fee is a part of, like "the change". */
  feeBase: string;
  doneContent: ReactNode;
}

/** Refusals that only a saving in USDC meets: no parity, no collector for USDC, or an unusable account. */
const SOL_HELPS_CODES: ReadonlySet<string> = new Set(["service_not_ready", "usdc_account_unusable"]);

/**
 * Runs a saving in a sheet: review, guards, signature, progress, result. By allowance, the click that opened the sheet is
 * the only one.
 */
export function WrapSheet<Request extends PayTerms, About extends WrapRecord>({
  words,
  headContent,
  feeBase,
  ...handle
}: Props<Request, About>) {
  const { flow, state } = handle;
  const { build, error } = state;
  const { hasServiceKey } = useSession();
  const { choose } = usePayWith();
  const request = state.record?.request;
  const by = request?.by;
  /** Starts the same payment with other terms. */
  const restart = (payTerms: PayTerms) => {
    const { payWith: _payWith, by: _by, ...sharedRequest } = request!;
    void flow.start({ ...sharedRequest, ...payTerms } as Request);
  };
  const payWithSol = () => {
    choose("SOL");
    restart({ payWith: "SOL" });
  };
  const mainWalletLamports = build && !by ? build.breakdown.totalLamports : 0;
  // The limit for one round-up was checked before the start. It does not apply to a top-up.
  const blockReason = useGuardCheck(build?.breakdown.roundUpUsd ?? 0, lamportsToSol(mainWalletLamports), 0);
  useAutoConfirm(flow, state, by === "allowance" && hasServiceKey && blockReason === null);
  const failureCode = error instanceof ApiError ? error.code : null;
  return (
    <FlowSheet
      {...handle}
      words={{ reviewTitle: "Review and sign", unknownTitle: "Checking whether it arrived", ...words }}
      opensWithoutForm
      reviewContent={
        build && (
          <KeepFocus className="space-y-5">
            {headContent}
            {build.blocked && <ShortOfMoney {...{ build, by, payWithSol }} retry={() => void flow.renew(null)} />}
            <SaveBreakdown breakdown={build.breakdown} feeBase={feeBase} by={by} />
            <GuardNotice reason={blockReason} />
          </KeepFocus>
        )
      }
      isBlocked={blockReason !== null || Boolean(build?.blocked)}
      failureAction={
        failureCode === "allowance_missing" ? (
          <Button onClick={() => restart({ payWith: "USDC" })}>Sign with my wallet</Button>
        ) : (
          request?.payWith === "USDC" && SOL_HELPS_CODES.has(failureCode!) && <PayWithSolButton onClick={payWithSol} />
        )
      }
      isSignedByWallet={!by}
    />
  );
}
