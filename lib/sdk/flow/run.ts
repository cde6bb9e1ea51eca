import type { BuildResult, FlowSpec, FlowState, World } from "./types";
import { type Memory, memoryOf, type Unfinished } from "./unfinished";

/** A blockhash lives for 150 blocks, by now no more than 30 s on mainnet; five of that are kept for sending. */
export const VALID_MS = 25_000;

export const idle = {
  phase: "idle",
  open: false,
  record: null,
  earlier: null,
  build: null,
  doubts: [],
  previous: null,
  expiresAt: 0,
  renewals: 0,
  waiting: [],
  stage: "sending",
  note: null,
  error: null,
  signError: null,
} as const;

/** What the steps of one flow share. */
export interface Run<R, B extends BuildResult, D> {
  spec: FlowSpec<R, B, D>;
  world: () => World<D>;
  memory: Memory<R, D>;
  readonly state: FlowState<R, B, D>;
  set(next: Partial<FlowState<R, B, D>>): void;
  /** Grows with everything that makes answers to earlier questions unwanted. */
  readonly turn: number;
  /** @returns the new turn; the one before is over */
  next(): number;
  /** Settles when the current turn is over. */
  readonly over: Promise<void>;
  /** The memory's stamp before the build that is shown was asked for. */
  stamp: string;
  /** Alone with this wallet, whichever tab or program else there is. @returns whether it ran */
  alone(task: () => Promise<void>): Promise<boolean>;
  /** What was built before this moment no longer fits; to be called alone. */
  changeStamp(): Promise<void>;
  /** Shows a record and keeps it, unless there is nothing to remember. */
  remember(record: Unfinished<R, D>): Promise<void>;
}

export function newRun<R, B extends BuildResult, D>(
  spec: FlowSpec<R, B, D>,
  world: () => World<D>,
  changed: () => void,
): Run<R, B, D> {
  const memory = memoryOf<R, D>(() => world().storage, spec.name, spec.wallet);
  let state: FlowState<R, B, D> = { ...idle, waiting: [] };
  let turn = 0;
  let over = signal();
  const set = (next: Partial<FlowState<R, B, D>>) => {
    state = { ...state, ...next };
    changed();
  };
  const run: Run<R, B, D> = {
    spec,
    world,
    memory,
    stamp: "",
    set,
    get state() {
      return state;
    },
    get turn() {
      return turn;
    },
    get over() {
      return over.promise;
    },
    next() {
      over.resolve();
      over = signal();
      turn += 1;
      return turn;
    },
    alone: (task) => world().lock(`roundup-run:${spec.wallet}`, task),
    async changeStamp() {
      await memory.changeStamp();
      run.stamp = await memory.stamp();
    },
    async remember(record) {
      await memory.keep(record.done.length > 0 || record.inFlight ? record : null);
      set({ record });
    },
  };
  return run;
}

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
