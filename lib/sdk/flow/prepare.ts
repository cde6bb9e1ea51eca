import { doubtText, type PriceDoubt } from "../prices/guard";
import { isElsewhere } from "./post-signed";
import { type Run, VALID_MS } from "./run";
import type { BuildResult } from "./types";

export interface Preparation {
  /** What the person should know before looking at it. */
  note: string | null;
  /** Times in a row that nobody asked for it. */
  renewals?: number;
}

/** Builds what is left and shows it; with nothing left, it is done. */
export async function prepare<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  turn: number,
  { note, renewals = 0 }: Preparation,
): Promise<void> {
  if (turn !== run.turn) return;
  const { spec, memory } = run;
  const { request, done } = run.state.record!;
  const rest = spec.restOf(request, done);
  if (rest === null) return finish(run);
  // Renewed unasked it stays said: nobody may have looked.
  const said = renewals > 0 && run.state.note === MEANWHILE ? MEANWHILE : note;
  run.set({ phase: "building", note: said, error: null, signError: null, renewals });
  try {
    // Before the build is asked for: whatever is sent from now on, it does not know.
    const stamp = await memory.stamp();
    const meanwhile = run.state.build !== null && run.stamp !== stamp ? MEANWHILE : null;
    const { calls, clock } = run.world();
    const asked = clock.now();
    const answer = await spec.build(calls, rest, spec.isSpoilable !== undefined && (await memory.isCareful()));
    if (turn !== run.turn) return;
    const doubts = answer.ready ? await doubtsOf(run, answer) : [];
    if (turn !== run.turn) return;
    const plausible = heldBack(answer, doubts);
    const build = plausible.ready ? await spec.verify(plausible, rest) : plausible;
    if (turn !== run.turn) return;
    run.stamp = stamp;
    if (!build.ready) return run.set({ phase: "refused", build, previous: null, waiting: [] });
    const waiting = spec.stepsOf(build, rest);
    const seen = seenBefore(run, renewals);
    const worse = renewals > 0 && seen !== null && spec.isWorse?.(build, seen);
    const shown = { build, doubts, previous: seen, waiting, note: said ?? meanwhile ?? (worse ? WORSE : null) };
    run.set({ phase: "review", open: true, ...shown, expiresAt: asked + VALID_MS });
  } catch (error) {
    if (turn === run.turn) run.set({ phase: isElsewhere(error) ? "elsewhere" : "failed", error: error as Error });
  }
}

/** Refuses a build that rests on a price beyond all bounds. A review would be useless: no person's word can release it. */
function heldBack<B extends BuildResult>(build: B, doubts: readonly PriceDoubt[]): B {
  const implausible = doubts.filter(({ kind }) => kind === "implausible");
  return implausible.length === 0 ? build : { ...build, ready: false, reason: doubtText(implausible) };
}

/** The prices of a build that must be accepted before it is signed. */
export async function doubtsOf<R, B extends BuildResult, D>({ spec, world }: Run<R, B, D>, build: B) {
  return spec.pricesOf ? world().prices.doubtsOf(spec.pricesOf(build)) : [];
}

export const MEANWHILE = "Something else was sent from this wallet meanwhile, so this was built anew. Look once more.";
const WORSE = "The price has changed: this brings less than before. Look once more.";

/** Of builds renewed unasked in a row, the one that was there when somebody last asked: small steps add up. */
function seenBefore<R, B extends BuildResult, D>(
  { state: { build, previous } }: Run<R, B, D>,
  renewals: number,
): B | null {
  if (renewals > 1 && previous) return previous;
  return build?.ready ? build : null;
}

export async function finish<R, B extends BuildResult, D>(run: Run<R, B, D>): Promise<void> {
  await run.memory.keep(null);
  run.set({ phase: "done", note: null, waiting: [] });
}
