"use client";

import { useEffect, useRef } from "react";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";

type ReviewState = Pick<FlowState, "phase" | "note" | "signError" | "doubts"> & {
  build: { blocked?: string | null } | null;
};

/**
 * Confirms the review that a click has just opened, so that the click is the only one. It confirms only the
 * first review after a start, and only at once. The person decides about a review that has something to explain, or that
 * a timer has renewed.
 * @param isAllowed whether the person's click covers this review
 */
export function useAutoConfirm(
  flow: Pick<Flow<never, unknown, unknown>, "confirm">,
  state: ReviewState,
  isAllowed: boolean,
) {
  const { phase, note, signError, doubts, build } = state;
  const wasReviewedRef = useRef(false);
  useEffect(() => {
    if (phase === "idle" || phase === "done") wasReviewedRef.current = false;
    if (phase !== "review" || wasReviewedRef.current) return;
    wasReviewedRef.current = true;
    const isClear = note === null && signError === null && doubts.length === 0 && !build?.blocked;
    if (isAllowed && isClear) void flow.confirm();
  }, [flow, phase, note, signError, doubts, build, isAllowed]);
}
