"use client";

import type { ReactNode, RefObject } from "react";
import { Button, ButtonLink } from "@/app/_components/button";
import { EVENTS } from "@/app/dashboard/_components/activity-words";
import { Signatures } from "@/app/dashboard/_flow/receipt";
import { SavedNote } from "../wrap/saved-note";
import { WrapSheet } from "../wrap/wrap-sheet";
import type { Topup } from "./use-topup";

const WORDS = {
  running: "Adding",
  done: "Added",
  confirm: "Sign and add",
  failed: "Nothing was added",
};

interface Props {
  topup: Topup;
  finalFocus: RefObject<HTMLElement | null>;
  /** The next action. Defaults to investing. */
  next?: ReactNode;
}

const ContinueToInvest = () => <ButtonLink href="/dashboard/invest">Continue to invest</ButtonLink>;

/** Runs a top-up in a sheet: review, signature, progress, result. */
export function TopUpSheet({ topup, finalFocus, next = <ContinueToInvest /> }: Props) {
  const { flow, state } = topup;
  const done = state.record?.done ?? [];
  return (
    <WrapSheet
      {...topup}
      words={WORDS}
      finalFocus={finalFocus}
      feeOf="the amount"
      done={
        <div className="space-y-6">
          <SavedNote done={done.map(({ about }) => about)} />
          <Signatures done={done.map(({ txSignature }) => ({ label: EVENTS.topup, txSignature }))} />
          <div className="flex flex-wrap gap-3">
            {next}
            <Button variant="quiet" onClick={flow.close}>
              Close
            </Button>
          </div>
        </div>
      }
    />
  );
}
