import type nacl from "tweetnacl";
import { ApiError } from "../calls/calls";
import { signWithKey } from "../sign/transactions";
import { type Landed, relay } from "./relay";
import type { Built, Flow, FlowSpec, FlowState, World } from "./types";
import type { Unfinished } from "./unfinished";

/** A blockhash lives for 150 blocks, by now no more than 30 s on mainnet; five of that are kept for sending. */
export const VALID_MS = 25_000;

const STALE = new Set<string>(["transaction_expired", "simulation_failed", "transaction_failed"]);
const ANOTHER_TAB = "Another tab of this page is sending transactions of this wallet. Try again when it is done.";

const idle = {
  phase: "idle",
  open: false,
  record: null,
  build: null,
  previous: null,
  expiresAt: 0,
  renewals: 0,
  waiting: [],
  stage: "sending",
  note: null,
  error: null,
  keyError: null,
} as const;

/** Loads a part of the page; a part that does not come is a lost connection, not a wrong transaction. */
export async function lazily<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new ApiError("offline", "A part of this page could not be loaded. Check your connection.", 0, null);
  }
}

export function createFlow<R, B extends Built, D>(spec: FlowSpec<R, B, D>, world: () => World): Flow<R, B, D> {
  let state: FlowState<R, B, D> = { ...idle, waiting: [] };
  const listeners = new Set<() => void>();
  // Raised by everything that makes answers to earlier questions unwanted.
  let turn = 0;

  const set = (next: Partial<FlowState<R, B, D>>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const remember = (record: Unfinished<R, D>) => {
    world().keep(record.done.length > 0 || record.inFlight ? record : null);
    set({ record });
  };
  const finish = () => {
    world().keep(null);
    set({ phase: "done", note: null, waiting: [] });
  };

  const prepare = async (note: string | null, renewals = 0): Promise<void> => {
    turn += 1;
    const own = turn;
    const { request, done } = state.record!;
    const rest = spec.restOf(request, done);
    if (rest === null) return finish();
    const asked = Date.now();
    set({ phase: "building", note, error: null, renewals });
    try {
      const build = await spec.build(rest, world().credentials);
      if (own !== turn) return;
      if (!build.ready) return set({ phase: "refused", build, previous: null, waiting: [] });
      const waiting = spec.stepsOf(build, rest);
      const previous = state.build?.ready ? state.build : null;
      set({ phase: "review", open: true, build, previous, waiting, expiresAt: asked + VALID_MS });
    } catch (error) {
      if (own === turn) set({ phase: "failed", error: error as Error });
    }
  };

  /** @returns whether it landed; else the state says what is the matter */
  const follow = async (): Promise<boolean> => {
    const { inFlight, done, request } = state.record!;
    const { label, about, signed } = inFlight!;
    let landed: Landed;
    try {
      landed = await relay(signed, world().credentials, (stage) => set({ stage }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await follows(error, label);
      return false;
    }
    remember({ request, inFlight: null, done: [...done, { label, about, txSignature: landed.txSignature }] });
    world().landed();
    return true;
  };

  const follows = async (error: ApiError, label: string): Promise<void> => {
    if (mayHaveLanded(error)) return set({ phase: "unknown", error });
    remember({ ...state.record!, inFlight: null });
    if (STALE.has(error.code)) return prepare(staleNote(label, error));
    set({ phase: "failed", error });
  };

  const runAll = async (keys: nacl.SignKeyPair): Promise<void> => {
    set({ phase: "running", stage: "sending", note: null });
    for (let step = state.waiting[0]; step; step = state.waiting[0]) {
      const { label, about, transaction } = step;
      const inFlight = { label, about, signed: signWithKey(transaction, keys) };
      set({ waiting: state.waiting.slice(1), stage: "sending" });
      remember({ ...state.record!, inFlight });
      if (!(await follow())) return;
    }
    const { request, done } = state.record!;
    if (spec.restOf(request, done) === null) finish();
    else await prepare("There is more than fits into one go. This is the next part.");
  };

  const confirm = async (): Promise<void> => {
    turn += 1;
    const own = turn;
    set({ phase: "asking", keyError: null, note: null });
    let keys: nacl.SignKeyPair;
    try {
      keys = await world().serviceKey();
    } catch (keyError) {
      if (own === turn) set({ phase: "review", keyError });
      return;
    }
    if (own !== turn) return;
    if (Date.now() >= state.expiresAt)
      return prepare("Time ran out meanwhile, so this was built anew. Look once more.");
    try {
      const { request, done } = state.record!;
      await spec.verify(state.build!, spec.restOf(request, done)!);
    } catch (error) {
      if (own === turn) set({ phase: "failed", error: error as Error });
      return;
    }
    if (own !== turn) return;
    if (!(await world().alone(() => runAll(keys)))) set({ phase: "review", note: ANOTHER_TAB });
  };

  const checkAgain = async (): Promise<void> => {
    turn += 1;
    set({ phase: "running", open: true, waiting: [], stage: "confirming", note: null, error: null });
    const ran = await world().alone(async () => {
      if (await follow()) await prepare("What was under way has landed. This is what is left.");
    });
    if (!ran) set({ phase: "unknown", note: ANOTHER_TAB });
  };

  const resume = (record: Unfinished<R, D>): Promise<void> => {
    set({ ...idle, waiting: [], record, open: true });
    return record.inFlight ? checkAgain() : prepare(null);
  };

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start(request) {
      // Whoever begins anew first learns what became of what is under way: else it might be paid twice.
      const left = world().kept() as Unfinished<R, D> | null;
      if (left?.inFlight) return resume(left);
      set({ ...idle, waiting: [], record: { request, done: [], inFlight: null } });
      return prepare(null);
    },
    resume,
    renew: (note, byItself = false) => prepare(note, byItself ? state.renewals + 1 : 0),
    confirm,
    checkAgain,
    close() {
      if (state.phase === "running") return;
      turn += 1;
      set({ ...idle, waiting: [] });
    },
    discard() {
      turn += 1;
      world().keep(null);
      set({ ...idle, waiting: [] });
    },
  };
}

/** Anything but a clear refusal leaves open what became of a transaction. */
const mayHaveLanded = ({ status, code }: ApiError) =>
  status === 0 || status >= 500 || code === "rate_limited" || code === "unreadable";

function staleNote(label: string, { code }: ApiError): string {
  const what = `“${label}”`;
  if (code === "transaction_expired") {
    return `${what} was not taken in time, so nothing of it happened. It was built anew: look once more.`;
  }
  if (code === "transaction_failed") {
    return `${what} failed on the chain: nothing moved, only its small network fee was charged. It was built anew: look once more.`;
  }
  return `${what} no longer fits the state of the chain, so it was not sent and nothing was charged. It was built anew: look once more.`;
}
