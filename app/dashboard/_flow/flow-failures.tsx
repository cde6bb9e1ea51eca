"use client";

import { useEffect, useEffectEvent } from "react";
import { StorageError } from "@/app/_client/local-storage/browser-storage";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Failure } from "@/app/_components/state-view";
import { StorageNote } from "@/app/dashboard/_components/storage-note";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { describeSent, SAVED_ELSEWHERE_TITLE } from "./flow-words";

interface FailureProps {
  error: Error;
  retry: () => void;
  /** True when part of the run has landed or may still land. The page lists the sent parts beside this message. */
  hasSentParts?: boolean;
}

/** Explains why the run failed: nothing, or nothing more, could be built or sent. */
export function FlowFailure({ error, retry, hasSentParts = false }: FailureProps) {
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
    <Notice
      role="alert"
      tone="bad"
      title={title}
      action={
        <Button variant="secondary" onClick={retry}>
          Try again
        </Button>
      }
    >
      <p>
        {error.message} This page checks every transaction before it signs. {describeSent(hasSentParts)} If this happens
        again, please report it.
      </p>
    </Notice>
  );
}

/**
 * Says that another tab or device already saved this. Does not claim that nothing was sent: a transaction that the
 * wallet sent itself may still land.
 */
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

interface OutcomeUnknownProps {
  error: Error | null;
  /** Whether the browser stores the transaction. Otherwise a reload forgets it. */
  isRecorded: boolean;
  checkAgain: () => void;
}

/**
 * Says that a transaction may have been sent and that its outcome is unknown. Rebuilding now could pay twice, so only
 * another check is offered. Checks again when the browser is back online.
 */
export function OutcomeUnknown({ error, isRecorded, checkAgain }: OutcomeUnknownProps) {
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
