"use client";

import { type FormEvent, type RefObject, useRef, useState } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink, SecondaryButton } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { DollarField } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { UsdAmount } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { ShortAddress } from "@/app/_components/short-address";
import { SkeletonLines } from "@/app/_components/skeleton";
import { ReadView } from "@/app/_components/state-view";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import { ALLOWANCE_USD_RANGE } from "@/lib/domain/limits";
import { usePayWith } from "../pay/pay-with";
import { AllowanceSheet, RevocationSheet } from "../wrap/sheets";
import { StopElsewhere } from "./stop-elsewhere";
import { useAllowance } from "./use-allowance";
import { type AllowanceFlow, type RevocationFlow, useAllowanceFlows } from "./use-allowance-flows";

export function AllowanceCard() {
  const read = useAllowance();
  const { allowance, revocation, isUsedUp } = useAllowanceFlows();
  const headingRef = useRef<HTMLHeadingElement>(null);
  const unfinished = allowance.unfinishedRecord ? allowance : revocation;
  // An allowance that lands after its end would last, though the page has called it stopped.
  const isLocked = unfinished.unfinishedRecord !== null;
  return (
    <Card>
      <h2 id="allowance" ref={headingRef} tabIndex={-1} className="mb-3 text-lg font-semibold outline-none">
        Save without signing
      </h2>
      <div className="mb-5 empty:hidden">
        <UnfinishedNote
          handle={unfinished}
          title="Your last change here is not finished"
          text="Check it before you change anything else."
        />
      </div>
      <ReadView
        read={read}
        failureTitle="Your allowance cannot be read right now"
        loading={<SkeletonLines lines={3} label="Reading your allowance" />}
      >
        {({ delegate, isServiceWallet, remainingUsd }) =>
          isServiceWallet ? (
            <Running {...{ remainingUsd, allowance, revocation, isLocked }} />
          ) : delegate !== null ? (
            <OtherDelegate delegate={delegate} />
          ) : (
            <>
              {isUsedUp && (
                <Notice className="mb-4" title="Your allowance is used up or was stopped" role="status">
                  <p>Your main wallet signs each saving again. Set a new amount to go on without.</p>
                </Notice>
              )}
              <AllowanceForm allowance={allowance} isLocked={isLocked} />
            </>
          )
        }
      </ReadView>
      {read.error && <StopElsewhere />}
      <AllowanceSheet {...allowance} finalFocus={headingRef} />
      <RevocationSheet {...revocation} finalFocus={headingRef as RefObject<HTMLElement | null>} />
    </Card>
  );
}

interface RunningProps extends Omit<FormProps, "isReplacing"> {
  remainingUsd: number;
  revocation: RevocationFlow;
}

function Running({ remainingUsd, allowance, revocation, isLocked }: RunningProps) {
  const { payWith } = usePayWith();
  return (
    <div data-testid="allowance-left">
      <p className="text-3xl font-semibold">
        <UsdAmount usd={remainingUsd} /> <span className="text-lg font-medium">left</span>
      </p>
      <p className="mt-1 text-sm text-soft">
        {payWith === "USDC"
          ? "“Save” takes change from this at once. It asks your wallet for nothing, except once after each reload of this page. Your limits still hold."
          : "Not used while you save from SOL. Your savings wallet may still take it, so stop it if you no longer need it."}
      </p>
      <SecondaryButton
        className="mt-4"
        isBusy={revocation.state.phase === "building"}
        disabled={isLocked}
        onClick={() => void revocation.flow.start({})}
      >
        Stop
      </SecondaryButton>
      <Fold title="Set another amount" className="mt-4">
        <div className="mt-3">
          <AllowanceForm allowance={allowance} isLocked={isLocked} isReplacing />
        </div>
      </Fold>
    </div>
  );
}

function OtherDelegate({ delegate }: { delegate: string }) {
  return (
    <Notice
      tone="warn"
      title="Another program may already take USDC from your wallet"
      action={
        <ButtonLink href="/dashboard/round-up" variant="secondary">
          Go on with signatures
        </ButtonLink>
      }
    >
      <p>
        It is <ShortAddress text={delegate} />, for example your subscriptions. A wallet’s USDC has room for one, so an
        allowance would end it. Nothing changes: your main wallet signs each saving.
      </p>
    </Notice>
  );
}

interface FormProps {
  allowance: AllowanceFlow;
  isLocked: boolean;
  isReplacing?: boolean;
}

function AllowanceForm({ allowance: { flow, state }, isLocked, isReplacing = false }: FormProps) {
  const { wallet } = useReadySession();
  const [text, setText] = useState("25");
  const { value, error } = parseAmountInRange(text, ALLOWANCE_USD_RANGE);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value !== null) void flow.start({ amountUsd: value });
  };
  return (
    <form key={wallet} onSubmit={submit} noValidate>
      <DollarField
        label="Let your savings wallet take change by itself, at most"
        hint={
          isReplacing
            ? "Replaces what is left."
            : "USDC in all, $1 to $1,000. You sign once, and can stop it any time. Choose what you would not mind losing. Whoever steals this browser’s key can take it."
        }
        value={text}
        error={error}
        onChange={setText}
      />
      <Button
        type="submit"
        variant={isReplacing ? "secondary" : "primary"}
        className="mt-4"
        isBusy={state.phase === "building"}
        disabled={value === null || isLocked}
      >
        Review
      </Button>
    </form>
  );
}
