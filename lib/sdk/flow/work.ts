import type { Observable } from "../observable";
import { rejectOnAbort } from "../platform";
import { type AnyAbout, type AnyRequest, createRecordStore } from "./record";
import { type FlowEvent, type FlowState, getNextState } from "./state";
import type { FlowContext, FlowSpec } from "./types";

/** Ends superseded work, as the reason of its signal. It never leaves the engine. */
export class SupersededError extends Error {}

export type Work = ReturnType<typeof createWork>;

/**
 * Creates the work that follows one action of a person. The next action supersedes it.
 * @param getContext called before each use: credentials and signers change while a flow runs
 * @param signal aborts with a SupersededError when the next action supersedes this work
 */
export function createWork(
  spec: FlowSpec,
  getContext: () => FlowContext,
  observableState: Observable<FlowState>,
  signal: AbortSignal,
) {
  const throwIfSuperseded = () => signal.throwIfAborted();
  return {
    spec,
    getContext,
    recordStore: createRecordStore<AnyRequest, AnyAbout>(() => getContext().storage, spec.name, spec.wallet),
    get state() {
      return observableState.get();
    },
    /** Runs the task under the wallet's lock, which all tabs and programs share. Returns false when the lock is held. */
    withLock: (task: () => Promise<void>) => getContext().lock(`roundup-run:${spec.wallet}`, task),
    dispatch(event: FlowEvent): void {
      if (!signal.aborted) observableState.set(getNextState(observableState.get(), event));
    },
    throwIfSuperseded,
    /** Waits for the promise. @throws {SupersededError} when this work was superseded in the meantime */
    async waitFor<Value>(promise: Promise<Value>): Promise<Value> {
      const value = await promise;
      throwIfSuperseded();
      return value;
    },
    /** Like `waitFor`, but throws as soon as this work is superseded, even if the promise never ends. */
    waitUntilSuperseded: <Value>(promise: Promise<Value>) => rejectOnAbort(promise, signal),
  };
}

/**
 * Runs work to its end. Superseded work ends silently. Any other error, such as one from storage, fails the action
 * before it is thrown: otherwise the state would never leave its running phase.
 */
export async function runWork(work: Work, task: (work: Work) => Promise<void>): Promise<void> {
  try {
    await task(work);
  } catch (error) {
    if (error instanceof SupersededError) return;
    work.dispatch({ type: "failed", error });
    throw error;
  }
}
