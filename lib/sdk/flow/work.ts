import { rejectOnAbort } from "../abort";
import type { Observable } from "../observable";
import { type AnyAbout, type AnyRequest, createFlowMemory } from "./record";
import { type FlowEvent, type FlowState, transition } from "./state";
import type { FlowSpec, World } from "./types";

/** Ends superseded work, as the reason of its signal. It never leaves the engine. */
export class SupersededError extends Error {}

export type Work = ReturnType<typeof createWork>;

/**
 * Creates the work that follows one action of a person. The next action supersedes it. The engine serves every kind of
 * payment, so the types of one kind are opaque to it.
 * @param world called before each use: credentials and signers change while a flow runs
 * @param signal aborts with a SupersededError when the next action supersedes this work
 */
export function createWork(spec: FlowSpec, world: () => World, states: Observable<FlowState>, signal: AbortSignal) {
  const check = () => signal.throwIfAborted();
  return {
    spec,
    world,
    memory: createFlowMemory<AnyRequest, AnyAbout>(() => world().storage, spec.name, spec.wallet),
    get state() {
      return states.get();
    },
    /** Runs the task under the wallet's lock, which all tabs and programs share. Returns false when the lock is held. */
    withLock: (task: () => Promise<void>) => world().lock(`roundup-run:${spec.wallet}`, task),
    /** Applies an event to the state, unless this work is superseded. */
    dispatch(event: FlowEvent): void {
      if (!signal.aborted) states.set(transition(states.get(), event));
    },
    /** @throws {SupersededError} */
    check,
    /** Waits for the promise. @throws {SupersededError} when this work was superseded in the meantime */
    async guard<T>(promise: Promise<T>): Promise<T> {
      const value = await promise;
      check();
      return value;
    },
    /** Like `guard`, but does not wait for the promise once this work is superseded. */
    race: <T>(promise: Promise<T>) => rejectOnAbort(promise, signal),
  };
}

/**
 * Runs work to its end. Work that was superseded ends silently. Any other error, such as one from storage, fails the
 * payment before it is thrown: otherwise the state would never leave its running phase.
 */
export async function runWork(work: Work, task: (work: Work) => Promise<void>): Promise<void> {
  try {
    await task(work);
  } catch (error) {
    if (error instanceof SupersededError) return;
    work.dispatch({ type: "failed", error: error as Error });
    throw error;
  }
}
