"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import type { BuildResult } from "@/lib/sdk/flow/types";
import { FlowFailure, SavedElsewhere } from "./flow-failures";
import type { FlowHandle } from "./use-flow";

interface Props<Request, Build extends BuildResult, About> extends FlowHandle<Request, Build, About> {
  title: string;
  onSubmit: () => void;
  isChecking?: boolean;
  /** True while a field explains the failure. */
  isFailureExplained?: boolean;
  /** Label of the button that opens the review. Without it, the form has no button and only keeps choices. */
  submitLabel?: string;
  note?: string;
  renderNotReady: (build: Build) => ReactNode;
  children: ReactNode;
}

/** Shows the form of a flow. If its request cannot be reviewed, says why below the form. */
export function FlowForm<Request, Build extends BuildResult, About>(props: Props<Request, Build, About>) {
  const { flow, state, title, isChecking = false, isFailureExplained = false, submitLabel, note = "" } = props;
  const { onSubmit, renderNotReady, children } = props;
  const { phase, hasBeenShown, build, error } = state;
  const messageRef = useRef<HTMLDivElement>(null);
  const hasFailed = (phase === "failed" || phase === "elsewhere") && error !== null && !isFailureExplained;
  const hasMessage = !hasBeenShown && ((phase === "refused" && build !== null) || hasFailed);
  const formRef = useRef<HTMLFormElement>(null);
  const [submitCount, setSubmitCount] = useState(0);
  // The first invalid field may be far above the button.
  useEffect(() => {
    if (submitCount > 0) formRef.current?.querySelector("[aria-invalid=true]")?.scrollIntoView({ block: "center" });
  }, [submitCount]);
  // The message appears below the form, out of sight of the button, so scroll to it.
  useEffect(() => {
    if (!hasMessage) return;
    messageRef.current?.scrollIntoView({ block: "center" });
    messageRef.current?.focus({ preventScroll: true });
  }, [hasMessage]);
  return (
    <Card title={title}>
      <form
        ref={formRef}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
          setSubmitCount((count) => count + 1);
        }}
        noValidate
      >
        {children}
        {submitLabel && (
          <Button
            type="submit"
            isBusy={isChecking || (phase === "building" && !hasBeenShown)}
            className="mt-6 w-full sm:w-auto"
          >
            {submitLabel}
          </Button>
        )}
        <p className="mt-2 text-sm text-soft">
          {submitLabel && "Nothing is signed yet. "}
          {note}
        </p>
      </form>
      {hasMessage && (
        <div ref={messageRef} tabIndex={-1} className="mt-5 outline-none">
          {build && phase === "refused" && <div data-testid="not-ready">{renderNotReady(build)}</div>}
          {error && phase === "failed" && <FlowFailure error={error} retry={() => void flow.renew(null)} />}
          {phase === "elsewhere" && <SavedElsewhere error={error} close={flow.close} />}
        </div>
      )}
    </Card>
  );
}
