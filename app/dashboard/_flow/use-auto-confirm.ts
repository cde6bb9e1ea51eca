"use client";

import { useEffect, useRef } from "react";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";

type ReviewState = Pick<FlowState, "phase" | "note" | "signError" | "doubts"> & {
  build: { blocked?: string | null } | null;
};

/**
 * Confirms the review that a click has just opened, so that the click is the only one. Each start is confirmed at most
 * once. The person decides as soon as there is anything to explain: a renewed build, a doubt, a missing key.
 * @param isAllowed whether the person's click covers this review
 */
export function useAutoConfirm(
  flow: Pick<Flow<never, unknown, unknown>, "confirm">,
  state: ReviewState,
  isAllowed: boolean,
) {
  const { phase, note, signError, doubts, build } = state;
  const wasConfirmedRef = useRef(false);
  useEffect(() => {
    if (phase === "idle" || phase === "done") wasConfirmedRef.current = false;
    const isClear = note === null && signError === null && doubts.length === 0 && !build?.blocked;
    if (phase !== "review" || !isAllowed || !isClear || wasConfirmedRef.current) return;
    wasConfirmedRef.current = true;
    void flow.confirm();
  }, [flow, phase, note, signError, doubts, build, isAllowed]);
}
