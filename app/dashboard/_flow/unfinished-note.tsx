"use client";

import { Button, SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowRecord } from "@/lib/sdk/flow/record";

interface Props {
  handle: {
    flow: Pick<Flow<never, unknown, unknown>, "resume" | "discard">;
    unfinishedRecord: FlowRecord<unknown, unknown> | null;
  };
  title: string;
  text: string;
}

/** Describes an interrupted run, if there is one: what landed, what remains, and buttons to continue or discard. */
export function UnfinishedNote({ handle: { flow, unfinishedRecord }, title, text }: Props) {
  if (!unfinishedRecord) return null;
  const { done, inFlight } = unfinishedRecord;
  return (
    <Notice
      testId="unfinished"
      className="mt-5"
      tone="warn"
      title={title}
      action={
        <>
          <Button onClick={() => void flow.resume()}>{inFlight ? "Check now" : "Continue"}</Button>
          <SecondaryButton onClick={() => void flow.discard()}>
            {inFlight ? "Dismiss" : "Discard the rest"}
          </SecondaryButton>
        </>
      }
    >
      {done.length > 0 && <p>Done: {done.map(({ label }) => label).join(", ")}.</p>}
      {inFlight && <p>It may have been sent. Check whether it arrived: {inFlight.label}.</p>}
      <p>{text}</p>
    </Notice>
  );
}
