import { rejectOnAbort } from "../abort";
import { describeDoubts } from "../prices/guard";
import { createFlow } from "./engine";
import type { LandedStep } from "./record";
import type { FlowState } from "./state";
import type { BuildResult, FlowSpec, World } from "./types";

/**
 * Asks whether to sign a build. `note` says what changed since the caller last looked. `landed` lists the part of the
 * request that landed already, now or in an earlier call. The build contains only the rest.
 * @returns whether to sign it
 */
export type Confirm<B> = (build: B, note: string | null, landed: LandedStep<unknown>[]) => boolean | Promise<boolean>;

/** How a payment ended. `transactions` lists everything that landed, in this call and in earlier ones. */
export type Result<D, B> =
  | { status: "done"; transactions: LandedStep<D>[] }
  /** Nothing was built, or the build cannot be signed. */
  | { status: "refused"; reason: string; build: B; transactions: LandedStep<D>[] }
  /** `confirm` returned false. */
  | { status: "cancelled"; transactions: LandedStep<D>[] }
  /** The rest was not sent. */
  | { status: "failed"; error: Error; transactions: LandedStep<D>[] }
  /** Another device or program has saved the same payments, or is saving them. This client did not send its own. */
  | { status: "elsewhere"; error: Error; transactions: LandedStep<D>[] }
  /** Describes an earlier request whose outcome was unknown. Nothing of this request was started: call again. */
  | {
      status: "earlier";
      /** The earlier request. */
      request: unknown;
      /** `in_part`: some transactions landed, and the rest was not sent. */
      outcome: "landed" | "in_part" | "unknown";
      error: Error | null;
      transactions: LandedStep<D>[];
    }
  /** Sent, with an unknown outcome. Call again later with the same request: `drive` asks for the outcome first. */
  | { status: "unknown"; error: Error | null };

/**
 * Runs a payment to its end without a page. `confirm` decides what a person would decide on the page.
 * @param signal ends the payment at once: nothing more is signed. Transactions that were signed before may have been
 * sent. The next call with the same request learns their outcome
 */
export async function drive<R, B extends BuildResult, D>(
  spec: FlowSpec<R, B, D>,
  world: World<D>,
  request: R,
  confirm: Confirm<B>,
  signal?: AbortSignal,
): Promise<Result<D, B>> {
  const flow = createFlow(spec, () => world);
  /** Waits for a step, and throws instead when the caller aborts, so that no later step begins. */
  const wait = <T>(step: T | Promise<T>) => rejectOnAbort(Promise.resolve(step), signal);
  try {
    await wait(flow.start(request));
    for (let state = flow.getState(); state.phase === "review" || state.earlier; state = flow.getState()) {
      const transactions = state.record?.done ?? [];
      if (state.earlier) {
        // Another program has started something else. What had landed of this request would be paid again by a new start.
        const { done } = state.earlier;
        if (done.length > 0) return { status: "elsewhere", error: new Error(ENDED_ELSEWHERE), transactions: done };
        if (state.record?.inFlight || transactions.length > 0) return describeEarlier(state);
        // No transaction of the earlier request can land any more.
        await wait(flow.start(request));
        continue;
      }
      if (state.phase !== "review") break;
      const { build, doubts, note } = state;
      if (build.blocked) return { status: "refused", reason: build.blocked, build, transactions };
      if (doubts.length > 0 && (await wait(world.acceptPrices?.(doubts)))) await wait(flow.acceptPrices());
      const open = flow.getState().doubts;
      if (open.length > 0) return { status: "refused", reason: describeDoubts(open), build, transactions };
      if (!(await wait(confirm(build, note, transactions)))) return { status: "cancelled", transactions };
      await wait(flow.confirm());
      const after = flow.getState();
      // The same review is still there: the wallet did not sign, or another program is sending.
      if (after.phase === "review" && after.build === build && after.doubts.length === 0)
        return describeFailure(after, after.signError ?? after.note);
    }
    return describeEnd(flow.getState());
  } finally {
    if (signal?.aborted) flow.stop();
  }
}

function describeEarlier<R, B, D>({ phase, record, error }: FlowState<R, B, D>): Result<D, B> {
  const outcome = record?.inFlight ? "unknown" : phase === "done" ? "landed" : "in_part";
  return { status: "earlier", request: record?.request, outcome, error, transactions: record?.done ?? [] };
}

function describeEnd<R, B extends BuildResult, D>(state: FlowState<R, B, D>): Result<D, B> {
  const transactions = state.record?.done ?? [];
  switch (state.phase) {
    case "done":
      return { status: "done", transactions };
    case "refused":
      return { status: "refused", reason: state.build.reason ?? "", build: state.build, transactions };
    case "failed":
      return describeFailure(state, state.error);
    case "elsewhere":
      return { status: "elsewhere", error: state.error, transactions };
    case "idle":
      return { status: "elsewhere", error: new Error(ENDED_ELSEWHERE), transactions };
    default:
      return { status: "unknown", error: state.error };
  }
}

const ENDED_ELSEWHERE = "Another program has continued this payment or discarded the rest of it.";

function describeFailure<R, B, D>({ record }: FlowState<R, B, D>, error: unknown): Result<D, B> {
  return {
    status: "failed",
    error: error instanceof Error ? error : new Error(String(error)),
    transactions: record?.done ?? [],
  };
}
