"use client";

import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { StorageError } from "@/app/_client/local-storage/browser-storage";
import { LimitLine } from "@/app/_client/queries/limit-line";
import { useSession } from "@/app/_client/wallet/session";
import { Button, QuietButton, SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { replaceLamports } from "@/app/_components/coins";
import { KeepFocus } from "@/app/_components/keep-focus";
import { Sheet } from "@/app/_components/sheet";
import { SkeletonLines } from "@/app/_components/skeleton";
import { type FlowState, isCheckingEarlierStart } from "@/lib/sdk/flow/state";
import type { BuildResult } from "@/lib/sdk/flow/types";
import { ExpiredNote, TimeToSign, useHasPassed, useRenewal } from "./build-expiry";
import { FlowFailure, OutcomeUnknown, PriceDoubts, RecordNote, SavedElsewhere, useRecordCheck } from "./flow-failures";
import { chooseShownPhase, chooseTitle, type FlowWords, isPartlySent, SAVED_ELSEWHERE_TITLE } from "./flow-words";
import { SheetFoot } from "./result";
import { describeStage, RunProgress } from "./run-progress";
import { ServiceKeyFailure, ServiceKeyNote } from "./service-key-note";
import type { FlowHandle } from "./use-flow";

interface Props<Request, Build extends BuildResult, About> extends FlowHandle<Request, Build, About> {
  words: FlowWords;
  reviewContent: ReactNode;
  /** Explains why the service built nothing. Defaults to the service's message. */
  refusedContent?: ReactNode;
  doneContent: ReactNode;
  failureAction?: ReactNode;
  /** True when the main wallet signs. Otherwise the service key signs; the wallet may be asked for the key first. */
  isSignedByWallet?: boolean;
  isBlocked?: boolean;
}

interface SheetProps<Request, Build extends BuildResult, About> extends Props<Request, Build, About> {
  /** Receives the focus on closing. The button that opened the sheet may be disabled or removed. */
  finalFocus: RefObject<HTMLElement | null>;
  /** Opens the sheet immediately, for flows without a form. */
  opensWithoutForm?: boolean;
}

/** Runs a flow in one sheet: review, signature, progress of each transaction, result. */
export function FlowSheet<Request, Build extends BuildResult, About>(sheetProps: SheetProps<Request, Build, About>) {
  const { finalFocus, opensWithoutForm, ...props } = sheetProps;
  const { flow, state, words } = props;
  const phase = chooseShownPhase(state);
  useRenewal(flow, state);
  return (
    <Sheet
      open={opensWithoutForm ? phase !== "idle" : state.hasBeenShown}
      onClose={flow.close}
      title={chooseTitle({ ...state, phase }, words)}
      isLocked={phase === "running" && !isCheckingEarlierStart(state)}
      finalFocus={finalFocus}
      isOpenerGoing={phase === "running" || phase === "done"}
    >
      <Announcer state={state} words={words} />
      <LimitLine isForAction />
      <PhasePanel {...props} />
    </Sheet>
  );
}

const PHASES_WITH_NOTE: readonly FlowState["phase"][] = ["building", "review", "asking", "unknown"];
const STOPPED_PHASES: readonly FlowState["phase"][] = ["unknown", "refused", "failed"];

/** Shows one phase. Takes the focus when the phase changes, because the previously focused button may be gone. */
function PhasePanel<Request, Build extends BuildResult, About>(props: Props<Request, Build, About>) {
  const { state } = props;
  const phase = chooseShownPhase(state);
  const panelRef = useRef<HTMLDivElement>(null);
  const previousPhaseRef = useRef(phase);
  useEffect(() => {
    if (previousPhaseRef.current === phase) return;
    previousPhaseRef.current = phase;
    // Scrolling to the focus would show the end of content that is taller than the sheet.
    panelRef.current?.focus({ preventScroll: true });
  }, [phase]);
  return (
    <div ref={panelRef} tabIndex={-1} data-phase={phase} className="outline-none">
      {state.note && PHASES_WITH_NOTE.includes(phase) && <FlowNote text={state.note} />}
      <PhaseContent {...props} />
      {isPartlySent(state) && STOPPED_PHASES.includes(phase) && (
        <div className="mt-4">
          <RunProgress state={state} />
        </div>
      )}
    </div>
  );
}

function PhaseContent<Request, Build extends BuildResult, About>(props: Props<Request, Build, About>) {
  const { flow, state, reviewContent, doneContent, mayRunUnrecorded } = props;
  const { error } = state;
  const recordCheck = useRecordCheck(state.phase);
  const isRecorded = !mayRunUnrecorded || recordCheck.problem === null;
  const hasSentParts = isPartlySent(state);
  switch (chooseShownPhase(state)) {
    case "building":
      return <SkeletonLines lines={6} label="Building the transactions" />;
    case "running":
      return (
        <>
          <p className="text-soft">
            {isCheckingEarlierStart(state) && isRecorded ? CAN_CLOSE_TEXT : "Keep this page open until it finishes."}
          </p>
          <div className="mt-3">
            <RunProgress state={state} />
          </div>
        </>
      );
    case "unknown":
      return <OutcomeUnknown error={error} isRecorded={isRecorded} checkAgain={() => void flow.checkAgain()} />;
    case "elsewhere":
      return <SavedElsewhere error={error} close={flow.close} />;
    case "refused":
      return <Refusal {...props} />;
    case "failed":
      return (
        error && (
          <>
            <FlowFailure error={error} retry={() => void flow.renew(null)} hasSentParts={hasSentParts} />
            <div className="mt-4 empty:hidden">{props.failureAction}</div>
          </>
        )
      );
    case "done":
      return (
        <>
          {state.ownRecord && (
            <FlowNote text={isPartlySent({ record: state.ownRecord }) ? SENT_ELSEWHERE_TEXT : SENT_EARLIER_TEXT} />
          )}
          {doneContent}
        </>
      );
    case "idle":
      return null;
    default:
      return (
        <>
          {hasSentParts && (
            <div className="mb-4 rounded-xl border border-line px-4 py-2">
              <RunProgress state={{ ...state, unsignedSteps: [] }} />
            </div>
          )}
          <RecordNote {...recordCheck} mayRunUnrecorded={mayRunUnrecorded} />
          {state.doubts.length > 0 && <PriceDoubts flow={flow} doubts={state.doubts} />}
          {reviewContent}
          <SignControls {...props} isBlocked={props.isBlocked || (recordCheck.problem !== null && !mayRunUnrecorded)} />
        </>
      );
  }
}

const CAN_CLOSE_TEXT = "You can close this and come back later. You never pay twice.";
const SENT_EARLIER_TEXT = "This was sent earlier. Your new request has not started.";
const SENT_ELSEWHERE_TEXT =
  "This was sent from another tab or device. Part of your request here may have arrived; the rest was not sent. See Activity.";

function Refusal<Request, Build extends BuildResult, About>(props: Props<Request, Build, About>) {
  const { flow, state, refusedContent } = props;
  const hasSentParts = isPartlySent(state);
  return (
    <Notice
      role="alert"
      tone="warn"
      title={hasSentParts ? "The rest cannot be done now" : "This cannot be done now"}
      action={
        <>
          <Button onClick={flow.close}>Close</Button>
          {hasSentParts && <SecondaryButton onClick={() => void flow.discard()}>Discard the rest</SecondaryButton>}
        </>
      }
    >
      {refusedContent ?? <p>{replaceLamports(state.build?.reason ?? "")}</p>}
    </Notice>
  );
}

function SignControls<Request, Build extends BuildResult, About>(props: Props<Request, Build, About>) {
  const { flow, state, words, isSignedByWallet, isBlocked } = props;
  const { hasServiceKey } = useSession();
  const { phase, signError, expiresAt, signBy } = state;
  const needsKey = !isSignedByWallet && !hasServiceKey;
  const isAsking = phase === "asking";
  // Only an automatic rebuild shows its review while it builds.
  const isRenewing = phase === "building";
  const isExpired = useHasPassed(isRenewing ? Number.POSITIVE_INFINITY : expiresAt);
  const signErrorRef = useRef<HTMLDivElement>(null);
  // The message appears above the sticky footer, out of sight of the pressed button, so scroll to it.
  useEffect(() => {
    if (signError !== null) signErrorRef.current?.scrollIntoView({ block: "center" });
  }, [signError]);
  const confirmReview = () => void flow.confirm();
  return (
    <>
      {(needsKey || signError !== null) && (
        <div className="mt-5">
          {needsKey && <ServiceKeyNote />}
          <div ref={signErrorRef}>
            {signError !== null && !(signError instanceof StorageError) && (
              <ServiceKeyFailure error={signError} retry={confirmReview} />
            )}
          </div>
        </div>
      )}
      <SheetFoot>
        {isSignedByWallet && <p className="mb-3 text-sm text-soft">Your main wallet signs this.</p>}
        {isSignedByWallet && isAsking && <TimeToSign signBy={signBy} />}
        {needsKey && isAsking && (
          <p className="mb-3 text-sm font-medium">
            Confirm the text in your wallet’s window. Then this continues automatically.
          </p>
        )}
        {isExpired && <ExpiredNote renew={() => void flow.renew(null)} />}
        <KeepFocus className="mt-4 flex flex-wrap gap-3 first:mt-0">
          <Button
            onClick={confirmReview}
            isBusy={isAsking || isRenewing}
            disabled={isExpired || isBlocked || state.doubts.length > 0}
            className="grow sm:grow-0"
          >
            {words.confirmLabel}
          </Button>
          <QuietButton onClick={flow.close}>{words.cancelLabel ?? "Cancel"}</QuietButton>
        </KeepFocus>
      </SheetFoot>
    </>
  );
}

function FlowNote({ text }: { text: string }) {
  return (
    <Notice testId="flow-note" className="mb-4" tone="warn">
      <p>{text}</p>
    </Notice>
  );
}

/** Announces the whole run in one live region, so that a screen reader reads each change once and in order. */
function Announcer({ state, words }: { state: FlowState<unknown, unknown, unknown>; words: FlowWords }) {
  const { note, record, stage, unsignedSteps } = state;
  const phase = chooseShownPhase(state);
  const transactionCount = (record?.done.length ?? 0) + (record?.inFlight ? 1 : 0) + unsignedSteps.length;
  const runningText = record?.inFlight
    ? `Transaction ${record.done.length + 1} of ${transactionCount}, ${record.inFlight.label}: ${describeStage(stage)}.`
    : "";
  const announcements: Partial<Record<typeof phase, string>> = {
    building: "Building the transactions.",
    review: state.renewalCount > 0 ? "" : `${words.reviewTitle}.`,
    asking: "Your wallet may ask for a signature.",
    running: runningText,
    elsewhere: `${SAVED_ELSEWHERE_TITLE}.`,
    done: `${words.doneTitle}.`,
  };
  return (
    <p role="status" aria-live="polite" className="sr-only" data-testid="flow-status">
      {[phase === "running" ? "" : note, announcements[phase]].filter(Boolean).join(" ")}
    </p>
  );
}
