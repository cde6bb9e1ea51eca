import { useEffect } from "react";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { BuildResult } from "@/lib/sdk/flow/types";
import { type FlowHandle, readHeldLocks } from "./use-flow";

/** Flows whose transaction in flight this page load already follows. */
const resumedFlows = new WeakSet<object>();

/**
 * Asks for the outcome of a transaction that an earlier page load left in flight, once per page load. The flow's sheet
 * shows the progress and the receipt.
 */
export function useInFlightResume<Request, Build extends BuildResult, About>(
  handle: FlowHandle<Request, Build, About>,
): void {
  const { flow, unfinishedRecord } = handle;
  const { phase } = handle.state;
  const isInFlight = Boolean(unfinishedRecord?.inFlight);
  useEffect(() => {
    if (phase === "idle" && (!isInFlight || resumedFlows.has(flow))) return;
    resumedFlows.add(flow);
    if (phase === "idle") void resumeUnlessBusy(flow);
  }, [flow, phase, isInFlight]);
}

/** Resumes the flow, unless another tab is sending. That tab then learns the outcome. */
async function resumeUnlessBusy(flow: Pick<Flow<unknown, BuildResult, unknown>, "resume">): Promise<void> {
  // The names of the locks that `lib/sdk/flow/work.ts` takes while it sends begin with this prefix.
  const heldLocks = (await readHeldLocks()) ?? [];
  if (!heldLocks.some((name) => name.startsWith("roundup-run:"))) void flow.resume();
}
