import { ApiError } from "../calls/api-error";
import { type Outcome, relay } from "./post-signed";
import { prepare } from "./prepare";
import { idle, type Run } from "./run";
import type { BuildResult } from "./types";
import type { Unfinished } from "./unfinished";

/**
 * Relays what is in flight until its outcome is known.
 * @param again whether it may have been posted before
 * @returns whether it landed; else the state says what is the matter
 */
export async function follow<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  turn: number,
  again: boolean,
): Promise<boolean> {
  const { label, about } = run.state.record!.inFlight!;
  const isSpoilable = run.spec.isSpoilable?.(about) ?? false;
  const outcome = await settle(run, again);
  if ("landed" in outcome && isSpoilable) await run.memory.setCareful(false);
  if ("refused" in outcome) {
    const { refused } = outcome;
    if (refused.code === "transaction_expired") await prepare(run, turn, { note: expired(label) });
    // One careful build after a refusal: when that is refused too, something else is wrong.
    else if (isSpoilable && isSpoiled(refused) && !(await run.memory.isCareful())) {
      await run.memory.setCareful(true);
      await prepare(run, turn, { note: spoiled(label) });
    } else run.set({ phase: "failed", error: refused });
  }
  if ("elsewhere" in outcome) run.set({ phase: "elsewhere", error: outcome.elsewhere });
  return "landed" in outcome;
}

/** Learns what became of what is in flight, and remembers it; where nobody can say, the state says so. */
export async function settle<R, B extends BuildResult, D>(run: Run<R, B, D>, again: boolean): Promise<Outcome> {
  const { inFlight, done, request } = run.state.record!;
  const { label, about, signed } = inFlight!;
  const outcome = await outcomeOf(run, signed, again);
  if ("unknown" in outcome) {
    run.set({ phase: "unknown", error: outcome.unknown });
    return outcome;
  }
  const landed = "landed" in outcome ? [{ label, about, txSignature: outcome.landed.txSignature }] : [];
  const record = { request, inFlight: null, done: [...done, ...landed] };
  try {
    await run.changeStamp();
    await run.remember(record);
  } finally {
    // A memory that fails changes nothing about what landed; whoever reads there again asks again.
    run.set({ record });
    if ("landed" in outcome) run.world().landed(about, outcome.landed.txSignature);
  }
  return outcome;
}

/** Settles what is remembered, by whichever tab, and then shows what is left of it. */
export async function goOnFrom<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  turn: number,
  record: Unfinished<R, D>,
): Promise<void> {
  const started = run.state.record;
  const isOther = started !== null && !isSame(started.request, record.request);
  const earlier = run.state.earlier ?? (isOther ? started : null);
  run.set({ record, earlier, phase: "running", open: true, waiting: [], stage: "confirming", note: null, error: null });
  if (record.inFlight === null || (await follow(run, turn, true))) await prepare(run, turn, { note: LANDED });
}

/**
 * Of what has begun to land, what is remembered counts, by whichever tab, and for whoever asks for the same again too: one that
 * shows an older record, or begins at the start, would do again what is done.
 * @returns false when nothing is left of it there
 */
export function catchUp<R, B extends BuildResult, D>(run: Run<R, B, D>, left: Unfinished<R, D> | null): boolean {
  const record = run.state.record!;
  const goesOn = left !== null && isSame(left.request, record.request);
  if (!goesOn && record.done.length === 0) return true;
  run.set(goesOn ? { record: left } : { ...idle, waiting: [], record });
  return goesOn;
}

/** Whatever fails while something may be under way leaves its outcome open. */
async function outcomeOf<R, B extends BuildResult, D>(
  run: Run<R, B, D>,
  signed: string,
  again: boolean,
): Promise<Outcome> {
  const { calls, clock } = run.world();
  try {
    return await relay(signed, { calls, clock, again, onStage: (stage) => run.set({ stage }) });
  } catch (cause) {
    return { unknown: new ApiError("unreadable", "It could not be read what became of it.", { cause }) };
  }
}

/** What was kept has lost its undefined members, and maybe the order of the others. */
const isSame = (one: unknown, other: unknown) => sortedText(one) === sortedText(other);

const sortedText = (request: unknown) =>
  JSON.stringify(request, (_name, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, value[name]]),
        )
      : value,
  );

const isSpoiled = ({ code }: ApiError) => code === "simulation_failed" || code === "transaction_failed";

const spoiled = (label: string) =>
  `“${label}” was refused: the wallet changed before it could land. Anybody can cause that by sending a little to it. This was built so that it cannot happen again: look once more.`;

const LANDED = "What was under way has landed. This is what is left.";

const expired = (label: string) =>
  `“${label}” was not taken in time, so nothing of it happened. It was built anew: look once more.`;
