"use client";

import type { ReactNode, RefObject } from "react";
import { KeepFocus } from "@/app/_components/keep-focus";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import type { FlowWords } from "@/app/dashboard/_flow/flow-words";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import { lamportsToSol } from "@/lib/domain/money";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";
import { GuardNotice, useGuardCheck } from "../guards/guard-notice";
import { ShortOfMoney } from "../topup/short-of-money";
import { SaveBreakdown } from "./save-breakdown";

interface Props<Request, About extends WrapRecord> extends FlowHandle<Request, WrapBuild, About> {
  words: Pick<FlowWords, "runningTitle" | "doneTitle" | "confirmLabel" | "failedTitle">;
  finalFocus: RefObject<HTMLElement | null>;
  /** Content above the figures. */
  headContent?: ReactNode;
  /** Words for the amount that the service fee is a part of, like "the change". */
  feeBase: string;
  doneContent: ReactNode;
}

/** Runs a payment of the main wallet in a sheet: review, guards, signature, progress, result. */
export function WrapSheet<Request, About extends WrapRecord>({
  words,
  headContent,
  feeBase,
  ...handle
}: Props<Request, About>) {
  const { flow, state } = handle;
  const { build } = state;
  const totalLamports = build?.breakdown.totalLamports ?? 0;
  // The limit for one round-up was checked before the start. It does not apply to a top-up.
  const blockReason = useGuardCheck(build?.breakdown.roundUpUsd ?? 0, lamportsToSol(totalLamports), 0);
  return (
    <FlowSheet
      {...handle}
      words={{ reviewTitle: "Review and sign", unknownTitle: "Checking whether it arrived", ...words }}
      opensWithoutForm
      reviewContent={
        build && (
          <KeepFocus className="space-y-5">
            {headContent}
            <SaveBreakdown breakdown={build.breakdown} feeBase={feeBase} />
            <GuardNotice reason={blockReason} />
            {build.blocked && <ShortOfMoney totalLamports={totalLamports} retry={() => void flow.renew(null)} />}
          </KeepFocus>
        )
      }
      isBlocked={blockReason !== null || Boolean(build?.blocked)}
      isSignedByWallet
    />
  );
}
