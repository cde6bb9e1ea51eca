"use client";

import type { FormEvent, ReactNode } from "react";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import type { Built, Flow, FlowState } from "@/lib/sdk/flow/types";
import { FlowFailure } from "./flow-trouble";

interface Props<R, B extends Built, D> {
  flow: Flow<R, B, D>;
  state: FlowState<R, B, D>;
  title: string;
  onSubmit: (event: FormEvent) => void;
  /** What is typed is being checked. */
  checking?: boolean;
  /** The button that leads to the review. */
  submit: string;
  /** Said under the button. */
  note?: string;
  /** Why nothing was built, and the way on. */
  notReady: (build: B) => ReactNode;
  children: ReactNode;
}

/** What is asked for; and, until it can be reviewed, what is in the way. */
export function FlowForm<R, B extends Built, D>(props: Props<R, B, D>) {
  const { flow, state, title, onSubmit, checking = false, submit, note = "", notReady, children } = props;
  const { phase, open, build, error } = state;
  return (
    <Card title={title}>
      <form onSubmit={onSubmit} noValidate>
        {children}
        <Button type="submit" busy={checking || (phase === "building" && !open)} className="mt-6 w-full sm:w-auto">
          {submit}
        </Button>
        <p className="mt-2 text-sm text-soft">Nothing is signed yet. {note}</p>
      </form>
      {!open && phase === "refused" && build && (
        <div className="mt-5" data-testid="not-ready">
          {notReady(build)}
        </div>
      )}
      {!open && phase === "failed" && error && (
        <div className="mt-5">
          <FlowFailure error={error} retry={() => void flow.renew(null)} />
        </div>
      )}
    </Card>
  );
}
