import { type Run, VALID_MS } from "./run";
import type { Built } from "./types";

export interface Preparation {
  /** What the person should know before looking at it. */
  note: string | null;
  /** Times in a row that nobody asked for it. */
  renewals?: number;
}

/** Builds what is left and shows it; with nothing left, it is done. */
export async function prepare<R, B extends Built, D>(
  run: Run<R, B, D>,
  turn: number,
  { note, renewals = 0 }: Preparation,
): Promise<void> {
  if (turn !== run.turn) return;
  const { spec, memory } = run;
  const { request, done } = run.state.record!;
  const rest = spec.restOf(request, done);
  if (rest === null) return finish(run);
  run.set({ phase: "building", note, error: null, signError: null, renewals });
  try {
    // Before the build is asked for: whatever is sent from now on, it does not know.
    const stamp = await memory.stamp();
    const { calls, clock } = run.world();
    const asked = clock.now();
    const answer = await spec.build(calls, rest);
    if (turn !== run.turn) return;
    const build = answer.ready ? await spec.verify(answer, rest) : answer;
    if (turn !== run.turn) return;
    run.stamp = stamp;
    if (!build.ready) return run.set({ phase: "refused", build, previous: null, waiting: [] });
    const waiting = spec.stepsOf(build, rest);
    const previous = run.state.build?.ready ? run.state.build : null;
    run.set({ phase: "review", open: true, build, previous, waiting, expiresAt: asked + VALID_MS });
  } catch (error) {
    if (turn === run.turn) run.set({ phase: "failed", error: error as Error });
  }
}

export async function finish<R, B extends Built, D>(run: Run<R, B, D>): Promise<void> {
  await run.memory.keep(null);
  run.set({ phase: "done", note: null, waiting: [] });
}
