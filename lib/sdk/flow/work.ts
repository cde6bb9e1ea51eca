import { rejectOnAbort } from "../abort";
import type { FlowMemory } from "./record";
import type { FlowEvent, FlowState } from "./state";
import type { FlowSpec, World } from "./types";

/** What all work on one flow shares. The engine serves every kind of payment, so the types of one kind are opaque to it. */
export interface FlowContext {
  spec: FlowSpec;
  /** Read before each use: credentials and signers change while a flow runs. */
  world: () => World;
  memory: FlowMemory;
  readonly state: FlowState;
  /** Runs the task under the wallet's lock, which all tabs and programs share. Returns false when the lock is held. */
  withLock(task: () => Promise<void>): Promise<boolean>;
}

/** The work that follows one action of a person. The next action supersedes it. */
export interface Work extends FlowContext {
  /** Applies an event to the state, unless this work is superseded. */
  dispatch(event: FlowEvent): void;
  /** @throws {SupersededError} */
  check(): void;
  /** Waits for the promise. @throws {SupersededError} when this work was superseded in the meantime */
  guard<T>(promise: Promise<T>): Promise<T>;
  /** Like `guard`, but does not wait for the promise once this work is superseded. */
  race<T>(promise: Promise<T>): Promise<T>;
}

/** Ends superseded work, as the reason of its signal. It never leaves the engine. */
export class SupersededError extends Error {}

/** @param apply changes the state @param signal aborts with a SupersededError when the next action supersedes this work */
export function createWork(context: FlowContext, apply: (event: FlowEvent) => void, signal: AbortSignal): Work {
  const check = () => signal.throwIfAborted();
  return {
    spec: context.spec,
    world: context.world,
    memory: context.memory,
    get state() {
      return context.state;
    },
    withLock: context.withLock,
    dispatch(event) {
      if (!signal.aborted) apply(event);
    },
    check,
    async guard(promise) {
      const value = await promise;
      check();
      return value;
    },
    race: (promise) => rejectOnAbort(promise, signal),
  };
}

/**
 * Runs work to its end. Work that was superseded ends silently. Any other error, such as one from storage, fails the
 * payment before it is thrown: otherwise the state would say for ever that work is under way.
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
