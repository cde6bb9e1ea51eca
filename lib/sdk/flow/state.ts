import type { PriceDoubt } from "../prices/guard";
import type {
  AnyBuild,
  AskingState,
  BuildingState,
  DoneState,
  ElsewhereState,
  FailedState,
  IdleState,
  InFlightState,
  RefusedState,
  ReviewState,
  RunningState,
  SharedState,
  UnknownState,
  UnreadyBuild,
  VerifiedBuild,
} from "./phases";
import type { RelayStage } from "./post-signed";
import {
  type AnyAbout,
  type AnyRequest,
  type FlowRecord,
  type InFlightRecord,
  isSameRequest,
  type KnownRecord,
} from "./record";
import type { BuildResult, Step } from "./types";

/**
 * The states of one payment, and the one function that leads from a state to the next. Nothing here waits or calls.
 *
 * Two rules hold in every state, and the types state both:
 * - The wallet is asked to sign (`asking`, or `running` at stage `signing`) only with a `VerifiedBuild`.
 * - Bytes are in flight (`running` at stage `sending` or `confirming`, or `unknown`) only with an `InFlightRecord`,
 *   which exists only after it was stored.
 */
export type FlowState<R = AnyRequest, B = BuildResult, D = AnyAbout> =
  | IdleState<R, B, D>
  | BuildingState<R, B, D>
  | RefusedState<R, B, D>
  | ReviewState<R, B, D>
  | AskingState<R, B, D>
  | RunningState<R, B, D>
  | UnknownState<R, B, D>
  | ElsewhereState<R, B, D>
  | FailedState<R, B, D>
  | DoneState<R, B, D>;

/** Returns whether the flow checks a payment that an earlier start sent. It asks for no signature then. */
export const isFollowed = ({ phase, build }: { phase: FlowState["phase"]; build: unknown }) =>
  phase === "running" && build === null;

/** A verified build, ready for review. */
export interface Offer<B = BuildResult, D = AnyAbout> {
  build: VerifiedBuild<B>;
  waiting: Step<D>[];
  doubts: readonly PriceDoubt[];
  previous: VerifiedBuild<B> | null;
  expiresAt: number;
  note: string | null;
  stamp: string;
}

export type FlowEvent<R = AnyRequest, B = BuildResult, D = AnyAbout> =
  | { type: "started"; request: R }
  | { type: "resumed"; record: FlowRecord<R, D> | null }
  | { type: "closed" }
  | { type: "buildStarted"; note: string | null; renewals: number }
  | { type: "buildRefused"; build: UnreadyBuild<B>; stamp: string }
  | { type: "buildOffered"; offer: Offer<B, D> }
  | { type: "confirmed" }
  | { type: "doubtsFound"; doubts: readonly PriceDoubt[] }
  | { type: "signatureMissing"; error: unknown }
  /** Another tab or program holds the wallet's lock. */
  | { type: "lockHeld"; note: string }
  | { type: "signed" }
  | { type: "signedStored"; record: InFlightRecord<R, D> }
  | { type: "stageChanged"; stage: RelayStage }
  | { type: "outcomeStored"; record: KnownRecord<R, D>; landed: boolean }
  | { type: "outcomeUnknown"; error: Error; note: string | null }
  | { type: "stampChanged"; stamp: string }
  /** The stored record of the same payment is newer than this tab's. */
  | { type: "progressRead"; record: KnownRecord<R, D> }
  /** Storage holds bytes in flight, perhaps of a different payment. This flow follows them now. */
  | { type: "recordAdopted"; record: FlowRecord<R, D> }
  | { type: "endedElsewhere" }
  | { type: "checkStarted" }
  | { type: "discardStarted"; record: InFlightRecord<R, D> }
  | { type: "savedElsewhere"; error: Error }
  | { type: "failed"; error: Error }
  | { type: "finished" };

const NO_FAILURE = { error: null, signError: null, stage: null } as const;

/** The shared members before anything was built. */
const INITIAL = {
  open: false,
  earlier: null,
  doubts: [],
  previous: null,
  expiresAt: 0,
  renewals: 0,
  waiting: [],
  note: null,
  stamp: null,
} as const;

/** The state before a payment starts and after it is closed. */
export const IDLE = { ...INITIAL, ...NO_FAILURE, phase: "idle", record: null, build: null } as const;

/** Returns the state after an event. An event that does not fit the state changes nothing. */
export function transition<R, B extends BuildResult, D>(
  state: FlowState<R, B, D>,
  event: FlowEvent<R, B, D>,
): FlowState<R, B, D> {
  switch (event.type) {
    case "started":
      return { ...IDLE, phase: "building", record: { request: event.request, done: [], inFlight: null } };
    case "resumed":
      return event.record ? showRecord({ ...IDLE, open: true }, event.record, null) : IDLE;
    case "discardStarted":
      return showRecord({ ...IDLE, open: true }, event.record, null);
    case "closed":
      return IDLE;
    case "stampChanged":
      return { ...state, stamp: event.stamp };
    case "recordAdopted":
      return state.phase === "idle" ? state : adoptRecord(state, event.record);
    case "checkStarted":
      return state.phase === "unknown" ? adoptRecord(state, state.record) : state;
    case "progressRead":
      return state.phase === "idle" || state.phase === "running" || state.phase === "unknown"
        ? state
        : { ...state, record: event.record };
    case "failed":
      return fail(state, event.error);
    case "savedElsewhere":
    case "buildStarted":
    case "endedElsewhere":
    case "finished":
      return state.phase === "idle" ? state : transitionKnown(state, event);
    case "buildRefused":
    case "buildOffered":
      return state.phase === "building" ? transitionBuilding(state, event) : state;
    case "confirmed":
    case "doubtsFound":
      return state.phase === "review" || state.phase === "asking" ? transitionReview(state, event) : state;
    case "signatureMissing":
    case "lockHeld":
    case "signed":
    case "signedStored":
      return transitionAsking(state, event);
    case "stageChanged":
    case "outcomeStored":
    case "outcomeUnknown":
      return state.stage === "sending" || state.stage === "confirming" ? transitionPosting(state, event) : state;
  }
}

type Event<R, B, D, Type extends FlowEvent<R, B, D>["type"]> = Extract<FlowEvent<R, B, D>, { type: Type }>;

/** Shows a stored record: bytes in flight are followed, and otherwise the engine builds what is left. */
function showRecord<R, B, D>(
  shared: SharedState<R, B, D>,
  record: FlowRecord<R, D>,
  build: AnyBuild<B>,
): FlowState<R, B, D> {
  return record.inFlight
    ? { ...shared, ...NO_FAILURE, phase: "running", stage: "confirming", record, build }
    : { ...shared, ...NO_FAILURE, phase: "running", stage: "recorded", record, build };
}

function adoptRecord<R, B, D>(
  state: Exclude<FlowState<R, B, D>, IdleState<R, B, D>>,
  record: FlowRecord<R, D>,
): FlowState<R, B, D> {
  const isOther = !isSameRequest(state.record.request, record.request);
  const earlier = state.earlier ?? (isOther ? state.record : null);
  return showRecord({ ...state, earlier, open: true, waiting: [], note: null }, record, state.build);
}

/** A failure while bytes are in flight says nothing about them, so their outcome stays unknown. */
function fail<R, B, D>(state: FlowState<R, B, D>, error: Error): FlowState<R, B, D> {
  switch (state.phase) {
    case "building":
    case "review":
    case "asking":
      return { ...state, phase: "failed", signError: null, error };
    case "running":
      return state.stage === "signing" || state.stage === "recorded"
        ? { ...state, phase: "failed", stage: null, error }
        : { ...state, phase: "unknown", stage: null, error };
    default:
      return state;
  }
}

/** Changes that need to know what became of every transaction that was posted. */
function transitionKnown<R, B, D>(
  state: Exclude<FlowState<R, B, D>, IdleState<R, B, D>>,
  event: Event<R, B, D, "savedElsewhere" | "buildStarted" | "endedElsewhere" | "finished">,
): FlowState<R, B, D> {
  const { record, build } = state;
  if (record.inFlight) return state;
  switch (event.type) {
    case "buildStarted": {
      const { note, renewals } = event;
      return { ...state, ...NO_FAILURE, phase: "building", record, build, note, renewals };
    }
    case "endedElsewhere":
      return { ...IDLE, record };
    case "finished":
      return { ...state, ...NO_FAILURE, phase: "done", record, build, note: null, waiting: [] };
    case "savedElsewhere":
      return { ...state, ...NO_FAILURE, phase: "elsewhere", record, build, error: event.error };
  }
}

function transitionBuilding<R, B, D>(
  state: BuildingState<R, B, D>,
  event: Event<R, B, D, "buildRefused" | "buildOffered">,
): FlowState<R, B, D> {
  if (event.type === "buildOffered") return { ...state, ...event.offer, phase: "review", open: true };
  return { ...state, phase: "refused", build: event.build, stamp: event.stamp, previous: null, waiting: [] };
}

function transitionReview<R, B extends BuildResult, D>(
  state: ReviewState<R, B, D> | AskingState<R, B, D>,
  event: Event<R, B, D, "confirmed" | "doubtsFound">,
): FlowState<R, B, D> {
  if (event.type === "doubtsFound") return { ...state, phase: "review", doubts: event.doubts };
  if (state.phase !== "review" || state.build.blocked) return state;
  return { ...state, phase: "asking", signError: null, note: null };
}

function transitionAsking<R, B, D>(
  state: FlowState<R, B, D>,
  event: Event<R, B, D, "signatureMissing" | "lockHeld" | "signed" | "signedStored">,
): FlowState<R, B, D> {
  const isSigning = state.stage === "signing";
  switch (event.type) {
    case "signatureMissing":
      if (state.phase === "asking") return { ...state, phase: "review", signError: event.error };
      // The wallet declined in the middle of a payment. Retrying builds the remaining transactions.
      return isSigning ? fail(state, event.error as Error) : state;
    case "lockHeld":
      if (state.phase === "asking") return { ...state, phase: "review", note: event.note };
      return state.stage === "sending" || state.stage === "confirming"
        ? { ...state, phase: "unknown", stage: null, error: null, note: event.note }
        : state;
    case "signed":
      return state.phase === "asking" ? { ...state, phase: "running", stage: "signing" } : state;
    case "signedStored":
      return isSigning ? { ...state, stage: "sending", record: event.record, waiting: state.waiting.slice(1) } : state;
  }
}

/** The next transaction is signed only after the one before it landed. */
function transitionPosting<R, B, D>(
  state: InFlightState<R, B, D>,
  event: Event<R, B, D, "stageChanged" | "outcomeStored" | "outcomeUnknown">,
): FlowState<R, B, D> {
  if (event.type === "stageChanged") return { ...state, stage: event.stage };
  if (event.type === "outcomeUnknown")
    return { ...state, phase: "unknown", stage: null, error: event.error, note: event.note };
  const { build, waiting } = state;
  const { record } = event;
  return event.landed && waiting.length > 0 && build?.ready
    ? { ...state, stage: "signing", record, build }
    : { ...state, stage: "recorded", record };
}
