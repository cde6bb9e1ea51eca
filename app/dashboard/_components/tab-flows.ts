"use client";

import { useSyncExternalStore } from "react";
import { subscribeToNothing } from "@/app/_components/load-after-page";
import type { FlowState } from "@/lib/sdk/flow/state";

interface TabFlow {
  subscribe(listener: () => void): () => void;
  getState(): Pick<FlowState, "phase">;
}

/** The flows of this tab by the storage key of their record. They survive navigation. */
export const tabFlows = new Map<string, { flow: TabFlow }>();

/** Phases of a payment that is under way and not interrupted. */
export const BUSY_PHASES: readonly string[] = ["building", "review", "asking", "running"];

/** Returns whether this tab is busy with the payment whose record has this storage key. */
export function useIsBusyHere(storageKey: string): boolean {
  // Look the flow up in each render: storing its record renders again, and the flow exists by then.
  const flow = tabFlows.get(storageKey)?.flow;
  return useSyncExternalStore(
    flow?.subscribe ?? subscribeToNothing,
    () => flow !== undefined && BUSY_PHASES.includes(flow.getState().phase),
    () => false,
  );
}
