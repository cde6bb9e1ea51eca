"use client";

import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import type { FlowRecord } from "@/lib/sdk/flow/record";

interface Props<R, D> {
  record: FlowRecord<R, D>;
  title: string;
  /** What remains, in words. */
  left: string;
  onContinue: () => void;
  onDiscard: () => void;
}

/** Describes an interrupted run: what landed, what remains, and buttons to continue or discard. */
export function UnfinishedNote<R, D>({ record, title, left, onContinue, onDiscard }: Props<R, D>) {
  const { done, inFlight } = record;
  return (
    <Notice
      testId="unfinished"
      className="mt-5"
      tone="warn"
      title={title}
      action={
        <>
          <Button onClick={onContinue}>{inFlight ? "Check now" : "Continue"}</Button>
          <Button variant="secondary" onClick={onDiscard}>
            {inFlight ? "Dismiss" : "Discard the rest"}
          </Button>
        </>
      }
    >
      {done.length > 0 && <p>Done: {done.map(({ label }) => label).join(", ")}.</p>}
      {inFlight && <p>Sent. Checking whether it arrived: {inFlight.label}.</p>}
      <p>{left}</p>
    </Notice>
  );
}
