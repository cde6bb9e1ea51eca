import { must } from "../../domain/not-as-shown";
import { WrongAccountError } from "../sign/texts";
import { isSameMessage, isSignedBy } from "../sign/transactions";
import { catchUp, follow, goOnFrom } from "./follow";
import { doubtsOf, finish, MEANWHILE, prepare } from "./prepare";
import type { Run } from "./run";
import type { BuildResult, FlowSpec, SignTransaction, Step } from "./types";

export const ANOTHER_SENDS = "Something else is sending transactions of this wallet. Try again when it is done.";
const TOO_LATE = "Time ran out meanwhile, so this was built anew. Look once more.";
const MORE = "There is more than fits into one go. This is the next part.";

/** Signs and sends what is shown; without a review nothing happens. */
export async function confirm<R, B extends BuildResult, D>(run: Run<R, B, D>): Promise<void> {
  if (run.state.phase !== "review" || run.state.build?.blocked) return;
  const turn = run.next();
  run.set({ phase: "asking", signError: null, note: null });
  let sign: SignTransaction;
  try {
    sign = await run.world().openSigner();
  } catch (signError) {
    if (turn === run.turn) run.set({ phase: "review", signError });
    return;
  }
  if (turn !== run.turn) return;
  const ran = await run.alone(() => signAndSend(run, turn, sign));
  if (!ran && turn === run.turn) run.set({ phase: "review", note: ANOTHER_SENDS });
}

/** Nothing is signed while something is under way, nor what was built before something else was sent. */
async function signAndSend<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  turn: number,
  sign: SignTransaction,
): Promise<void> {
  const { spec, memory, world } = run;
  try {
    const left = await memory.read();
    const stamp = await memory.stamp();
    if (turn !== run.turn) return;
    if (left?.inFlight) return await goOnFrom(run, turn, left);
    const shown = run.state.record!.done.length;
    if (!catchUp(run, left)) return;
    if (stamp !== run.stamp || run.state.record!.done.length !== shown)
      return await prepare(run, turn, { note: MEANWHILE });
    if (world().clock.now() >= run.state.expiresAt) return await prepare(run, turn, { note: TOO_LATE });
    const { request, done } = run.state.record!;
    const build = run.state.build!;
    await spec.verify(build, spec.restOf(request, done)!);
    const doubts = await doubtsOf(run, build);
    if (turn !== run.turn) return;
    if (doubts.length > 0) return run.set({ phase: "review", doubts });
    if (spec.pricesOf) await world().prices.confirm(spec.pricesOf(build));
    if (turn === run.turn) await sendAll(run, turn, sign);
  } catch (error) {
    if (turn === run.turn) run.set({ phase: "failed", error: error as Error });
  }
}

async function sendAll<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  turn: number,
  sign: SignTransaction,
): Promise<void> {
  for (let step = run.state.waiting[0]; step; step = run.state.waiting[0]) {
    const signature = await signatureFor(run, turn, sign, step);
    if (signature === null) return;
    run.set({ phase: "running", waiting: run.state.waiting.slice(1), stage: "sending" });
    await run.changeStamp();
    await run.remember({ ...run.state.record!, inFlight: { label: step.label, ...signature } });
    if (!(await follow(run, turn, false))) return;
  }
  const { request, done } = run.state.record!;
  if (run.spec.restOf(request, done) === null) return finish(run);
  await prepare(run, turn, { note: MORE });
  const { phase, build, record } = run.state;
  if (turn === run.turn && phase === "review" && run.spec.isAgreed?.(build!, record!)) {
    run.set({ phase: "asking", note: null });
    await sendAll(run, turn, sign);
  }
}

/** Null without one; then the state says why. What is signed after a cancellation goes nowhere. */
async function signatureFor<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  turn: number,
  sign: SignTransaction,
  step: Step<D>,
): Promise<{ signed: string; about: D } | null> {
  const { spec } = run;
  try {
    // A wallet that never answers must not keep the lock once nobody waits for it.
    const signed = await Promise.race([sign(step.transaction), run.over]);
    if (turn !== run.turn || signed === undefined) return null;
    if (!isSignedBy(signed, spec.wallet)) throw new WrongAccountError();
    const about = await aboutOf(spec, step, signed);
    return turn === run.turn ? { signed, about } : null;
  } catch (signError) {
    if (turn !== run.turn) return null;
    // Asked in the middle of a run, what is left is built anew.
    if (run.state.phase === "asking") run.set({ phase: "review", signError });
    else run.set({ phase: "failed", error: signError as Error });
    return null;
  }
}

/** A signature over anything else than was shown goes nowhere. @throws {NotAsShown} */
async function aboutOf<R, B extends BuildResult, D>(
  spec: FlowSpec<R, B, D>,
  step: Step<D>,
  signed: string,
): Promise<D> {
  if (isSameMessage(step.transaction, signed)) return step.about;
  must(spec.verifySigned !== undefined, "changed_by_wallet");
  return spec.verifySigned(step, signed);
}
