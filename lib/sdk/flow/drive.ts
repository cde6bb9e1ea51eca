import { doubtText } from "../prices/guard";
import { createFlow } from "./engine";
import type { BuildResult, FlowSpec, FlowState, World } from "./types";
import type { Unfinished } from "./unfinished";

/**
 * What is about to be signed, and what changed since it was looked at before: build and `note`. Where some of the request has
 * `landed`, now or when it was asked for before, that is not paid again: the build is of the rest.
 * @returns whether to sign it
 */
export type Confirm<B> = (
  build: B,
  note: string | null,
  landed: Unfinished<unknown, unknown>["done"],
) => boolean | Promise<boolean>;

export type Result<D, B> =
  | { status: "done"; transactions: Unfinished<unknown, D>["done"] }
  /** Nothing was built, or it cannot be signed: why. Here and below, what had landed before is among `transactions`. */
  | { status: "refused"; reason: string; build: B; transactions: Unfinished<unknown, D>["done"] }
  /** `confirm` said no. */
  | { status: "cancelled"; transactions: Unfinished<unknown, D>["done"] }
  /** What is left was not sent: why. */
  | { status: "failed"; error: Error; transactions: Unfinished<unknown, D>["done"] }
  /** Another device or program has saved the same, or is at it: this one is not sent too. */
  | { status: "elsewhere"; error: Error; transactions: Unfinished<unknown, D>["done"] }
  /** Not about this request, of which nothing was begun, but about an earlier one whose outcome was open. For this one, call again. */
  | {
      status: "earlier";
      /** The earlier one. */
      request: unknown;
      /** Of all that was sent for it; `in_part`: the rest was not. */
      outcome: "landed" | "in_part" | "unknown";
      error: Error | null;
      transactions: Unfinished<unknown, D>["done"];
    }
  /** Sent, and nobody can say yet whether it landed: call the same again later, it asks before it builds. */
  | { status: "unknown"; error: Error | null };

/** Runs a flow to its end where no page shows it: what a person would press is asked of `confirm`. */
export async function drive<R, B extends BuildResult, D>(
  spec: FlowSpec<R, B, D>,
  world: World<D>,
  request: R,
  confirm: Confirm<B>,
): Promise<Result<D, B>> {
  const flow = createFlow(spec, () => world);
  await flow.start(request);
  while (flow.state().phase === "review" || flow.state().earlier) {
    const { build, doubts, note, record, earlier } = flow.state();
    const transactions = record!.done;
    if (earlier) {
      // Another program has begun something else in its place: what had landed would be paid again by whoever began anew.
      const { done } = earlier;
      if (done.length > 0) return { status: "elsewhere", error: new Error(ENDED), transactions: done };
      if (record!.inFlight || transactions.length > 0) return earlierOf(flow.state());
      // Nothing of that one will ever land.
      await flow.start(request);
      continue;
    }
    if (build!.blocked) return { status: "refused", reason: build!.blocked, build: build!, transactions };
    if (doubts.length > 0 && (await world.acceptPrices?.(doubts))) await flow.acceptPrices();
    const open = flow.state().doubts;
    if (open.length > 0) return { status: "refused", reason: doubtText(open), build: build!, transactions };
    if (!(await confirm(build!, note, transactions))) return { status: "cancelled", transactions };
    await flow.confirm();
    const after = flow.state();
    // Still the same review: it was not signed, or somebody else is sending.
    if (after.phase === "review" && after.build === build && after.doubts.length === 0)
      return failed(after, after.signError ?? after.note);
  }
  return resultOf(flow.state());
}

function earlierOf<R, B, D>({ phase, record, error }: FlowState<R, B, D>): Result<D, B> {
  const { request, inFlight, done: transactions } = record!;
  const outcome = inFlight ? "unknown" : phase === "done" ? "landed" : "in_part";
  return { status: "earlier", request, outcome, error, transactions };
}

function resultOf<R, B extends BuildResult, D>(state: FlowState<R, B, D>): Result<D, B> {
  const { phase, build, error, record } = state;
  if (phase === "done") return { status: "done", transactions: record!.done };
  if (phase === "refused")
    return { status: "refused", reason: build!.reason ?? "", build: build!, transactions: record!.done };
  if (phase === "failed") return failed(state, error);
  if (phase === "elsewhere") return { status: "elsewhere", error: error!, transactions: record?.done ?? [] };
  if (phase === "idle") return { status: "elsewhere", error: new Error(ENDED), transactions: record?.done ?? [] };
  return { status: "unknown", error };
}

const ENDED = "Another program has gone on with this, or left it at that.";

function failed<R, B, D>({ record }: FlowState<R, B, D>, error: unknown): Result<D, B> {
  return {
    status: "failed",
    error: error instanceof Error ? error : new Error(String(error)),
    transactions: record?.done ?? [],
  };
}
