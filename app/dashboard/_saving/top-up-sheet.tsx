"use client";

import type { ReactNode, RefObject } from "react";
import { Button } from "@/app/_components/button";
import { KeepFocus } from "@/app/_components/keep-focus";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import { Signatures } from "@/app/dashboard/_flow/receipt";
import { lamportsToSol } from "@/lib/domain/money";
import { GuardNotice, useGuardCheck } from "./guard-notice";
import { SaveBreakdown } from "./save-breakdown";
import { SavedNote } from "./saved-note";
import { ShortOfMoney } from "./short-of-money";
import type { Topup } from "./use-topup";

const WORDS = {
  review: "Look before you sign",
  running: "Adding",
  done: "Added",
  confirm: "Sign and add",
  failed: "Nothing was added",
  unknown: "The outcome is not known yet",
};

interface Props {
  topup: Topup;
  finalFocus: RefObject<HTMLElement | null>;
  /** What to do next. */
  next?: ReactNode;
}

/** From review to result: every part, the signature, live progress, the end. */
export function TopUpSheet({ topup: { flow, state }, finalFocus, next }: Props) {
  const { build, record } = state;
  const guarded = useGuardCheck(
    build?.breakdown.roundUpUsd ?? 0,
    lamportsToSol(build?.breakdown.totalLamports ?? 0),
    0,
  );
  return (
    <FlowSheet
      flow={flow}
      state={state}
      words={WORDS}
      finalFocus={finalFocus}
      atOnce
      review={
        build && (
          <KeepFocus className="space-y-5">
            <SaveBreakdown breakdown={build.breakdown} feeOf="the amount" />
            <GuardNotice reason={guarded} />
            {build.blocked && (
              <ShortOfMoney totalLamports={build.breakdown.totalLamports} retry={() => void flow.renew(null)} />
            )}
          </KeepFocus>
        )
      }
      blocked={guarded !== null || Boolean(build?.blocked)}
      walletSigns
      done={
        <div className="space-y-6">
          <SavedNote done={record?.done.map(({ about }) => about) ?? []} given="in all" />
          <Signatures done={record?.done ?? []} />
          <div className="flex flex-wrap gap-3">
            {next}
            <Button look={next ? "quiet" : "primary"} onClick={flow.close}>
              Close
            </Button>
          </div>
        </div>
      }
    />
  );
}
