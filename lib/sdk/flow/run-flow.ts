import { rejectOnAbort } from "../platform";
import { describeDoubts } from "../prices/guard";
import { createFlow } from "./engine";
import type { LandedStep } from "./record";
import { type FlowState, toError } from "./state";
import type { BuildResult, FlowContext, FlowSpec } from "./types";

/**
 * Asks whether to sign a build, which contains only what has not landed. `note` says what changed since the last question.
 * `landed` lists what landed already, now or in an earlier call. @returns true to sign the build
 */
export type Confirm<Build> = (
  build: Build,
  note: string | null,
  landed: LandedStep<unknown>[],
) => boolean | Promise<boolean>;

/** How an action ended. `transactions` lists everything that landed, in this call and in earlier ones. */
export type Result<About, Build> =
  | { status: "done"; transactions: LandedStep<About>[] }
  /** Nothing was built, or the build cannot be signed. */
  | { status: "refused"; reason: string; build: Build; transactions: LandedStep<About>[] }
  /** `confirm` returned false. */
  | { status: "cancelled"; transactions: LandedStep<About>[] }
  /** The rest was not sent. */
  | { status: "failed"; error: Error; transactions: LandedStep<About>[] }
  /** Another device or program saves the same payments, or has continued or ended this one. The rest was not sent. */
  | { status: "elsewhere"; error: Error; transactions: LandedStep<About>[] }
  /** Describes an earlier request whose outcome was unknown. The new request was not started: call again. */
  | {
      status: "earlier";
      request: unknown;
      /** `in_part`: some transactions landed, and the rest was not sent. */
      outcome: "landed" | "in_part" | "unknown";
      error: Error | null;
      transactions: LandedStep<About>[];
    }
  /** Sent, with an unknown outcome. Call again later with the same request: that call asks for the outcome first. */
  | { status: "unknown"; error: Error | null };

/**
 * Runs an action to its end without a page. `confirm` decides what a person would decide on the page.
 * @param signal ends the action at once. Signed transactions may have been sent: the next call with the same request
 * learns their outcome
 * @throws the signal's reason, and errors of `storage`, `acceptPrices` or `confirm`
 */
export async function runFlow<Request, Build extends BuildResult, About>(
  spec: FlowSpec<Request, Build, About>,
  context: FlowContext<About>,
  request: Request,
  confirm: Confirm<Build>,
  signal?: AbortSignal,
): Promise<Result<About, Build>> {
  const flow = createFlow(spec, () => context);
  /** Waits for a step. It throws as soon as the caller aborts, so that no later step begins. */
  const waitFor = <Value>(step: Value | Promise<Value>) => rejectOnAbort(Promise.resolve(step), signal);
  try {
    await waitFor(flow.start(request));
    for (;;) {
      const state = flow.getState();
      const transactions = state.record?.done ?? [];
      if (state.ownRecord) {
        // Another program has started a different request. A new start would pay again what has landed of this request.
        const { done } = state.ownRecord;
        if (done.length > 0) return { status: "elsewhere", error: new Error(ENDED_ELSEWHERE_TEXT), transactions: done };
        if (state.record?.inFlight || transactions.length > 0) return toEarlierResult(state);
        // No transaction of the earlier request can land any more.
        await waitFor(flow.start(request));
        continue;
      }
      if (state.phase !== "review") return toEndResult(state);
      const { build, doubts, note } = state;
      if (build.blocked) return { status: "refused", reason: build.blocked, build, transactions };
      if (doubts.length > 0 && (await waitFor(context.acceptPrices?.(doubts)))) await waitFor(flow.acceptPrices());
      const openDoubts = flow.getState().doubts;
      if (openDoubts.length > 0) return { status: "refused", reason: describeDoubts(openDoubts), build, transactions };
      if (!(await waitFor(confirm(build, note, transactions)))) return { status: "cancelled", transactions };
      await waitFor(flow.confirm());
      const nextState = flow.getState();
      // The same review is still open: the wallet did not sign, or another program is sending.
      if (nextState.phase === "review" && nextState.build === build && nextState.doubts.length === 0) {
        const error = toError(nextState.signError ?? nextState.note);
        return { status: "failed", error, transactions: nextState.record.done };
      }
    }
  } finally {
    if (signal?.aborted) flow.stop();
  }
}

function toEarlierResult<Request, Build, About>(state: FlowState<Request, Build, About>): Result<About, Build> {
  const { phase, record, error } = state;
  const outcome = record?.inFlight ? "unknown" : phase === "done" ? "landed" : "in_part";
  return { status: "earlier", request: record?.request, outcome, error, transactions: record?.done ?? [] };
}

function toEndResult<Request, Build extends BuildResult, About>(
  state: FlowState<Request, Build, About>,
): Result<About, Build> {
  const transactions = state.record?.done ?? [];
  switch (state.phase) {
    case "done":
      return { status: "done", transactions };
    case "refused":
      return { status: "refused", reason: state.build.reason ?? "", build: state.build, transactions };
    case "failed":
      return { status: "failed", error: state.error, transactions };
    case "elsewhere":
      return { status: "elsewhere", error: state.error, transactions };
    case "idle":
      return { status: "elsewhere", error: new Error(ENDED_ELSEWHERE_TEXT), transactions };
    default:
      return { status: "unknown", error: state.error };
  }
}

const ENDED_ELSEWHERE_TEXT = "Another program has continued this action or discarded the rest of it.";
