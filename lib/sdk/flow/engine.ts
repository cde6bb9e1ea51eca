import { ANOTHER_SENDS, confirm } from "./confirm";
import { catchUp, goOnFrom, settle } from "./follow";
import { doubtsOf, type Preparation, prepare } from "./prepare";
import { idle, newRun, type Run } from "./run";
import type { BuildResult, Flow, FlowSpec, World } from "./types";

/** A flow in a world that is asked anew at each step: credentials and signers change under way. */
export function createFlow<R, B extends BuildResult, D>(spec: FlowSpec<R, B, D>, world: () => World<D>): Flow<R, B, D> {
  const listeners = new Set<() => void>();
  const run = newRun(spec, world, () => {
    for (const listener of listeners) listener();
  });
  const reset = () => {
    run.next();
    run.set({ ...idle, waiting: [] });
  };
  return {
    state: () => run.state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start(request) {
      reset();
      run.set({ phase: "building", record: { request, done: [], inFlight: null } });
      return lookAndPrepare(run, { note: null });
    },
    resume: () => resume(run),
    async renew(note, byItself = false) {
      // Whoever asked may be late: it was closed, or is being signed.
      const { phase, record } = run.state;
      if (record === null || (byItself && phase !== "review")) return;
      run.next();
      return lookAndPrepare(run, { note, renewals: byItself ? run.state.renewals + 1 : 0 });
    },
    confirm: () => confirm(run),
    acceptPrices: () => acceptPrices(run),
    checkAgain: () => checkAgain(run),
    close() {
      if (run.state.phase !== "running") reset();
    },
    async discard() {
      if (await forget(run)) reset();
    },
  };
}

async function acceptPrices<R, B extends BuildResult, D>(run: Run<R, B, D>): Promise<void> {
  const { phase, doubts, build } = run.state;
  if (phase !== "review") return;
  const { turn } = run;
  await run.world().prices.accept(doubts);
  const left = await doubtsOf(run, build!);
  if (turn === run.turn) run.set({ doubts: left });
}

/**
 * Whoever begins anew first learns what became of what is under way: else it might be paid twice. While another is
 * at it this one may build, but `confirm` signs nothing that was built meanwhile.
 */
async function lookAndPrepare<R, B extends BuildResult, D>(run: Run<R, B, D>, preparation: Preparation): Promise<void> {
  const { turn } = run;
  let wentOn = false;
  await run.alone(async () => {
    const left = await run.memory.read();
    wentOn = turn !== run.turn || Boolean(left?.inFlight) || !catchUp(run, left);
    if (turn === run.turn && left?.inFlight) await goOnFrom(run, turn, left);
  });
  if (!wentOn) await prepare(run, turn, preparation);
}

async function resume<R, B extends BuildResult, D>(run: Run<R, B, D>): Promise<void> {
  const turn = run.next();
  const record = await run.memory.read();
  if (turn !== run.turn) return;
  run.set({ ...idle, waiting: [], record, open: record !== null });
  if (record?.inFlight) await checkAgain(run);
  else if (record) await prepare(run, turn, { note: null });
}

/** What is remembered counts: another may have settled it, or gone on from there. */
async function checkAgain<R, B extends BuildResult, D>(run: Run<R, B, D>): Promise<void> {
  const turn = run.next();
  run.set({ phase: "running", open: true, waiting: [], stage: "confirming", note: null, error: null });
  const ran = await run.alone(async () => {
    const record = await run.memory.read();
    if (record) await goOnFrom(run, turn, record);
    else run.set({ ...idle, waiting: [] });
  });
  if (!ran) run.set({ phase: "unknown", note: ANOTHER_SENDS });
}

/**
 * Forgets what is left. While something of it may still land, it would be paid twice by whoever begins anew: so it is
 * asked for first, and stays remembered where nobody can say. What another is sending is left to that one.
 * @returns whether nothing more of it is to be shown
 */
async function forget<R, B extends BuildResult, D>(run: Run<R, B, D>): Promise<boolean> {
  const turn = run.next();
  let open = false;
  await run.alone(async () => {
    const record = await run.memory.read();
    if (record?.inFlight) {
      run.set({ ...idle, record, phase: "running", open: true, waiting: [], stage: "confirming" });
      open = "unknown" in (await settle(run, true));
    }
    if (open) run.set({ note: MAY_LAND });
    else await run.memory.keep(null);
  });
  return !open && turn === run.turn;
}

const MAY_LAND =
  "It may still land, so it is not forgotten yet: whoever paid again now could pay twice. Ask again in a minute.";
