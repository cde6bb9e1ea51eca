"use client";

import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { checkRoom, StorageError, type StorageProblem } from "@/app/_client/local-storage/browser-storage";
import { Button, SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { formatUsd } from "@/app/_components/money";
import { Failure } from "@/app/_components/state-view";
import { StorageNote } from "@/app/dashboard/_components/storage-note";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";
import { describeSent, SAVED_ELSEWHERE_TITLE } from "./flow-words";
import type { FlowHandle } from "./use-flow";

/**
 * Explains why the run failed: nothing, or nothing more, could be built or sent.
 * @param hasSentParts whether part of the run has landed or may still land. The page lists the sent parts beside this
 */
export function FlowFailure(props: { error: Error; retry: () => void; hasSentParts?: boolean }) {
  const { error, retry, hasSentParts = false } = props;
  if (error instanceof ApiError) return <Failure error={error} retry={retry} />;
  if (error instanceof StorageError) {
    return (
      <StorageNote problem={error.problem} recheck={retry}>
        <p>{describeSent(hasSentParts)} Without a stored record, a reload could pay twice.</p>
      </StorageNote>
    );
  }
  // Compare the name: importing the class would bundle web3.js into the page.
  const title =
    error.name === "NotAsShown"
      ? "The transaction did not match your request, so nothing was signed"
      : "This stopped before it was sent";
  return (
    <Notice role="alert" tone="bad" title={title} action={<SecondaryButton onClick={retry}>Try again</SecondaryButton>}>
      <p>
        {error.message} This page checks every transaction before it signs. {describeSent(hasSentParts)} If this happens
        again, please report it.
      </p>
    </Notice>
  );
}

/** Says that another tab or device already saved this. What the wallet sent itself may still land. */
export function SavedElsewhere({ error, close }: { error: Error | null; close: () => void }) {
  return (
    <Notice role="alert" tone="warn" title={SAVED_ELSEWHERE_TITLE} action={<Button onClick={close}>Close</Button>}>
      <p>
        {error?.message} Another device or tab of yours was first, so this is not saved twice. See Activity for what
        arrived.
      </p>
    </Notice>
  );
}

/**
 * Says that a transaction may have been sent and that its outcome is unknown. Rebuilding now could pay twice, so only
 * another check is offered. Checks again when the browser is back online.
 * @param isRecorded whether the browser stores the transaction. Otherwise a reload forgets it
 */
export function OutcomeUnknown(props: { error: Error | null; isRecorded: boolean; checkAgain: () => void }) {
  const { error, isRecorded, checkAgain } = props;
  const handleOnline = useEffectEvent(checkAgain);
  useEffect(() => {
    const check = () => handleOnline();
    window.addEventListener("online", check);
    return () => window.removeEventListener("online", check);
  }, []);
  return (
    <Notice
      role="alert"
      tone="warn"
      title="We do not know yet whether it arrived"
      action={<Button onClick={checkAgain}>Check again</Button>}
    >
      <p>
        {error?.message} You never pay twice: checking again asks about the same transaction.{" "}
        {isRecorded ? "You can close this and come back later." : "Keep this tab open: a reload forgets it."}
      </p>
    </Notice>
  );
}

/** Checks in each phase, and whenever the tab is shown, whether the browser would store this action's record. */
export function useRecordCheck(phase: FlowState["phase"]) {
  const [problem, setProblem] = useState<StorageProblem | null>(null);
  const recheck = useCallback(() => setProblem(checkRoom()), []);
  useEffect(() => {
    recheck();
    document.addEventListener("visibilitychange", recheck);
    return () => document.removeEventListener("visibilitychange", recheck);
  }, [phase, recheck]);
  return { problem, recheck };
}

type RecordNoteProps = ReturnType<typeof useRecordCheck> & Pick<FlowHandle<never, never, never>, "mayRunUnrecorded">;

/** Says what it means for this action that the browser would not store its record. */
export function RecordNote({ problem, recheck, mayRunUnrecorded }: RecordNoteProps) {
  if (problem === null) return null;
  return (
    <StorageNote problem={problem} recheck={recheck} className="mb-4">
      <p>
        {mayRunUnrecorded
          ? "You can withdraw. Keep this tab open until it finishes. After a reload, this page does not know what it sent: see Activity before you withdraw again."
          : "This cannot be signed now: without a stored record, a reload could pay twice."}
      </p>
    </StorageNote>
  );
}

type PriceDoubtsProps = Pick<FlowState, "doubts"> & { flow: Pick<Flow<unknown, never, unknown>, "acceptPrices"> };

/** Asks the person to confirm prices that moved unusually far since this browser last confirmed them. */
export function PriceDoubts({ flow, doubts }: PriceDoubtsProps) {
  return (
    <Notice
      testId="price-doubts"
      className="mb-4"
      role="alert"
      tone="warn"
      title="Is this price right?"
      action={
        <SecondaryButton onClick={() => void flow.acceptPrices()}>
          {doubts.length === 1 ? "Yes, that is the price" : "Yes, those are the prices"}
        </SecondaryButton>
      }
    >
      <ul>
        {doubts.map(({ asset, usd, before }) => (
          <li key={asset}>
            {asset} is at {formatUsd(usd)} here.
            {before &&
              ` You last confirmed ${formatUsd(before.usd)}, on ${new Date(before.at).toLocaleDateString("en-GB")}.`}
          </li>
        ))}
      </ul>
      <p className="mt-2">Compare with a price that you trust. Nothing is signed until you confirm it.</p>
    </Notice>
  );
}
