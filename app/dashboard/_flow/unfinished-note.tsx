"use client";

import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowRecord } from "@/lib/sdk/flow/record";

interface Props {
  flow: Pick<Flow<never, unknown, unknown>, "resume" | "discard">;
  record: FlowRecord<unknown, unknown>;
  title: string;
  /** Says what remains and how it continues. */
  text: string;
}

/** Describes an interrupted run: what landed, what remains, and buttons to continue or discard. */
export function UnfinishedNote({ flow, record: { done, inFlight }, title, text }: Props) {
  return (
    <Notice
      testId="unfinished"
      className="mt-5"
      tone="warn"
      title={title}
      action={
        <>
          <Button onClick={() => void flow.resume()}>{inFlight ? "Check now" : "Continue"}</Button>
          <Button variant="secondary" onClick={() => void flow.discard()}>
            {inFlight ? "Dismiss" : "Discard the rest"}
          </Button>
        </>
      }
    >
      {done.length > 0 && <p>Done: {done.map(({ label }) => label).join(", ")}.</p>}
      {inFlight && <p>It may have been sent. Check whether it arrived: {inFlight.label}.</p>}
      <p>{text}</p>
    </Notice>
  );
}
