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
import type { BuildResult } from "./types";

/**
 * The states of one payment, and the one function that leads from a state to the next. Nothing here waits or calls.
 *
 * Two rules hold in every state, and the types state both:
 * - The wallet is asked to sign (`asking`, or `running` at stage `signing`) only with a `VerifiedBuild`.
 * - Bytes are in flight (`running` at stage `sending` or `confirming`, or `unknown`) only with an `InFlightRecord`,
 *   which exists only after it was stored.
 */
export type FlowState<Request = AnyRequest, Build = BuildResult, About = AnyAbout> =
  | IdleState<Request, Build, About>
  | BuildingState<Request, Build, About>
  | RefusedState<Request, Build, About>
  | ReviewState<Request, Build, About>
  | AskingState<Request, Build, About>
  | RunningState<Request, Build, About>
  | UnknownState<Request, Build, About>
  | ElsewhereState<Request, Build, About>
  | FailedState<Request, Build, About>
  | DoneState<Request, Build, About>;

/** Returns whether the flow checks the outcome of bytes that an earlier start sent. It then asks for no signature. */
export const isCheckingEarlierStart = ({ phase, build }: { phase: FlowState["phase"]; build: unknown }) =>
  phase === "running" && build === null;

type OfferedMembers = "build" | "unsignedSteps" | "doubts" | "previousBuild" | "expiresAt" | "note" | "isContinuing";

/** A verified build, ready for review. */
export interface Offer<Build = BuildResult, About = AnyAbout>
  extends Pick<ReviewState<AnyRequest, Build, About>, OfferedMembers> {
  sendCounter: string;
}

export type FlowEvent<Request = AnyRequest, Build = BuildResult, About = AnyAbout> =
  | { type: "started"; request: Request }
  | { type: "resumed"; record: FlowRecord<Request, About> | null }
  | { type: "closed" }
  | { type: "buildStarted"; note: string | null; renewalCount: number; isContinuing: boolean }
  | { type: "buildRefused"; build: UnreadyBuild<Build>; sendCounter: string }
  | { type: "buildOffered"; offer: Offer<Build, About> }
  | { type: "confirmed" }
  | { type: "doubtsFound"; doubts: readonly PriceDoubt[] }
  | { type: "signatureMissing"; error: unknown }
  /** Another tab or program holds the wallet's lock. */
  | { type: "lockHeld"; note: string }
  | { type: "signed" }
  | { type: "signedStored"; record: InFlightRecord<Request, About> }
  | { type: "stageChanged"; stage: RelayStage }
  | { type: "outcomeStored"; record: KnownRecord<Request, About>; hasLanded: boolean }
  | { type: "outcomeUnknown"; error: Error; note: string | null }
  | { type: "sendCounterChanged"; sendCounter: string }
  /** The stored record of the same payment is newer than this tab's. */
  | { type: "progressRead"; record: KnownRecord<Request, About> }
  /** The flow continues the stored record, which may be of a different payment. */
  | { type: "recordAdopted"; record: FlowRecord<Request, About> }
  | { type: "endedElsewhere" }
  | { type: "checkStarted" }
  | { type: "discardStarted"; record: InFlightRecord<Request, About> }
  | { type: "savedElsewhere"; error: Error }
  | { type: "failed"; error: Error }
  | { type: "finished" };

const NO_FAILURE = { error: null, signError: null, stage: null } as const;

/** The shared members before anything was built. */
const INITIAL = {
  isOpen: false,
  ownRecord: null,
  doubts: [],
  previousBuild: null,
  expiresAt: 0,
  renewalCount: 0,
  isContinuing: false,
  unsignedSteps: [],
  note: null,
  sendCounter: null,
} as const;

/** The state before a payment starts and after it is closed. */
export const IDLE = { ...INITIAL, ...NO_FAILURE, phase: "idle", record: null, build: null } as const;

/** Returns the state after an event. An event that does not fit the state changes nothing. */
export function transition<Request, Build extends BuildResult, About>(
  state: FlowState<Request, Build, About>,
  event: FlowEvent<Request, Build, About>,
): FlowState<Request, Build, About> {
  switch (event.type) {
    case "started":
      return { ...IDLE, phase: "building", record: { request: event.request, done: [], inFlight: null } };
    case "resumed":
      return event.record ? createRunningState({ ...IDLE, isOpen: true }, event.record, null) : IDLE;
    case "discardStarted":
      return createRunningState({ ...IDLE, isOpen: true }, event.record, null);
    case "closed":
      return IDLE;
    case "sendCounterChanged":
      return { ...state, sendCounter: event.sendCounter };
    case "recordAdopted":
      return state.phase === "idle" ? state : transitionToRecord(state, event.record);
    case "checkStarted":
      return state.phase === "unknown" ? transitionToRecord(state, state.record) : state;
    case "progressRead":
      return state.phase === "idle" || state.phase === "running" || state.phase === "unknown"
        ? state
        : { ...state, record: event.record };
    case "failed":
      return transitionToFailure(state, event.error);
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

type EventOf<Request, Build, About, Type extends FlowEvent<Request, Build, About>["type"]> = Extract<
  FlowEvent<Request, Build, About>,
  { type: Type }
>;

/** Returns the state that continues a stored record. The engine follows its bytes in flight, or builds what is left. */
function createRunningState<Request, Build, About>(
  shared: SharedState<Request, Build, About>,
  record: FlowRecord<Request, About>,
  build: AnyBuild<Build>,
): FlowState<Request, Build, About> {
  return record.inFlight
    ? { ...shared, ...NO_FAILURE, phase: "running", stage: "confirming", record, build }
    : { ...shared, ...NO_FAILURE, phase: "running", stage: "recorded", record, build };
}

function transitionToRecord<Request, Build, About>(
  state: Exclude<FlowState<Request, Build, About>, IdleState<Request, Build, About>>,
  record: FlowRecord<Request, About>,
): FlowState<Request, Build, About> {
  const isOtherPayment = !isSameRequest(state.record.request, record.request);
  const ownRecord = state.ownRecord ?? (isOtherPayment ? state.record : null);
  const shared = { ...state, ownRecord, isOpen: true, unsignedSteps: [], note: null };
  return createRunningState(shared, record, state.build);
}

/** Returns the state after a failure. While bytes are in flight, a failure says nothing about their outcome. */
function transitionToFailure<Request, Build, About>(
  state: FlowState<Request, Build, About>,
  error: Error,
): FlowState<Request, Build, About> {
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

/** Applies an event that is valid only when the outcome of every posted transaction is known. */
function transitionKnown<Request, Build, About>(
  state: Exclude<FlowState<Request, Build, About>, IdleState<Request, Build, About>>,
  event: EventOf<Request, Build, About, "savedElsewhere" | "buildStarted" | "endedElsewhere" | "finished">,
): FlowState<Request, Build, About> {
  const { record, build } = state;
  if (record.inFlight) return state;
  switch (event.type) {
    case "buildStarted": {
      const { type, ...started } = event;
      return { ...state, ...NO_FAILURE, phase: "building", record, build, ...started };
    }
    case "endedElsewhere":
      return { ...IDLE, record };
    case "finished":
      return { ...state, ...NO_FAILURE, phase: "done", record, build, note: null, unsignedSteps: [] };
    case "savedElsewhere":
      return { ...state, ...NO_FAILURE, phase: "elsewhere", record, build, error: event.error };
  }
}

function transitionBuilding<Request, Build, About>(
  state: BuildingState<Request, Build, About>,
  event: EventOf<Request, Build, About, "buildRefused" | "buildOffered">,
): FlowState<Request, Build, About> {
  if (event.type === "buildOffered") return { ...state, ...event.offer, phase: "review", isOpen: true };
  return {
    ...state,
    phase: "refused",
    build: event.build,
    sendCounter: event.sendCounter,
    previousBuild: null,
    unsignedSteps: [],
  };
}

function transitionReview<Request, Build extends BuildResult, About>(
  state: ReviewState<Request, Build, About> | AskingState<Request, Build, About>,
  event: EventOf<Request, Build, About, "confirmed" | "doubtsFound">,
): FlowState<Request, Build, About> {
  if (event.type === "doubtsFound") return { ...state, phase: "review", doubts: event.doubts };
  if (state.phase !== "review" || state.build.blocked) return state;
  return { ...state, phase: "asking", signError: null, note: null };
}

function transitionAsking<Request, Build, About>(
  state: FlowState<Request, Build, About>,
  event: EventOf<Request, Build, About, "signatureMissing" | "lockHeld" | "signed" | "signedStored">,
): FlowState<Request, Build, About> {
  const isSigning = state.stage === "signing";
  switch (event.type) {
    case "signatureMissing":
      if (state.phase === "asking") return { ...state, phase: "review", isContinuing: false, signError: event.error };
      // The wallet declined in the middle of a payment. Retrying builds the remaining transactions.
      return isSigning ? transitionToFailure(state, event.error as Error) : state;
    case "lockHeld":
      if (state.phase === "asking") return { ...state, phase: "review", note: event.note };
      return state.stage === "sending" || state.stage === "confirming"
        ? { ...state, phase: "unknown", stage: null, error: null, note: event.note }
        : state;
    case "signed":
      return state.phase === "asking" ? { ...state, phase: "running", stage: "signing" } : state;
    case "signedStored":
      return isSigning
        ? { ...state, stage: "sending", record: event.record, unsignedSteps: state.unsignedSteps.slice(1) }
        : state;
  }
}

/** Applies an event of posted bytes. The next transaction is signed only after the previous one has landed. */
function transitionPosting<Request, Build, About>(
  state: InFlightState<Request, Build, About>,
  event: EventOf<Request, Build, About, "stageChanged" | "outcomeStored" | "outcomeUnknown">,
): FlowState<Request, Build, About> {
  if (event.type === "stageChanged") return { ...state, stage: event.stage };
  if (event.type === "outcomeUnknown")
    return { ...state, phase: "unknown", stage: null, error: event.error, note: event.note };
  const { build, unsignedSteps } = state;
  const { record } = event;
  return event.hasLanded && unsignedSteps.length > 0 && build?.ready
    ? { ...state, stage: "signing", record, build }
    : { ...state, stage: "recorded", record };
}
