import type { PriceDoubt } from "../prices/guard";
import {
  type AnyAbout,
  type AnyRequest,
  type FlowRecord,
  type InFlightRecord,
  isSameRequest,
  type KnownRecord,
} from "./record";
import type { RelayStage } from "./relay";
import type { BuildResult, Step } from "./types";

/* The states of one action, and the one function that leads from a state to the next. Nothing here waits or calls. */

declare const verified: unique symbol;

/** A build whose bytes match the request. Only the verification in build.ts makes one. */
export type VerifiedBuild<Build = BuildResult> = Build & { readonly ready: true; readonly [verified]: true };

/** A build without transactions to sign, because the service gave a reason or a price is out of bounds. */
export type UnreadyBuild<Build = BuildResult> = Build & { readonly ready: false };

/** The members that every state has. Most states narrow the type of some of them, see `PhaseMembers`. */
interface DefaultMembers<Request, Build, About> {
  /** Whether the action was shown for review since it started. Before that, the form shows problems. */
  hasBeenShown: boolean;
  /**
   * This action's own record, while the flow follows a different action that it found in storage. The flow then sends
   * nothing more of this action. Null otherwise.
   */
  ownRecord: FlowRecord<Request, About> | null;
  doubts: readonly PriceDoubt[];
  /** The previously reviewed build, to show what changed. */
  previousBuild: VerifiedBuild<Build> | null;
  /** The wallet can be asked to sign the build until this time, ms since the Unix epoch; 0 before the first build. */
  expiresAt: number;
  /** Signed bytes still reach the network in time until this time, ms since the Unix epoch; 0 before the first build. */
  signBy: number;
  /** How many times in a row a timer, and not a person, has renewed the build. */
  renewalCount: number;
  /** Whether the flow builds and signs the next part without asking, because an earlier review covers it. */
  isContinuing: boolean;
  unsignedSteps: readonly Step<About>[];
  /** Explains to the person why the state changed. */
  note: string | null;
  /** The send counter of storage when the build was requested, or after this flow's own last transaction. */
  sendCounter: string | null;
  record: KnownRecord<Request, About>;
  build: VerifiedBuild<Build> | UnreadyBuild<Build> | null;
  error: null;
  /** Why the wallet did not sign: whatever the wallet threw. */
  signError: null;
  stage: null;
}

type PhaseMembers<Request, Build, About> =
  /** `record` holds what had landed when another tab ended this action. */
  | { phase: "idle"; record: KnownRecord<Request, About> | null; build: null }
  /** The flow asks the service for a build. The previous build stays on the screen while a timer renews it. */
  | { phase: "building" }
  | { phase: "refused"; build: UnreadyBuild<Build> }
  | { phase: "review"; build: VerifiedBuild<Build>; signError: unknown }
  /** The flow asks the wallet for the first signature. */
  | { phase: "asking"; build: VerifiedBuild<Build> }
  /** The flow asks the wallet for the next signature, or stores the signed bytes. */
  | { phase: "running"; stage: "signing"; build: VerifiedBuild<Build> }
  /** The flow posts stored bytes until their outcome is known. */
  | { phase: "running"; stage: RelayStage; record: InFlightRecord<Request, About> }
  /** The outcome is stored. The engine decides what follows. */
  | { phase: "running"; stage: "recorded" }
  /** Bytes were posted and may have landed. The person can ask for their outcome again. */
  | { phase: "unknown"; record: InFlightRecord<Request, About>; error: Error | null }
  /** Another device or program has saved the same payments, or is saving them. */
  | { phase: "elsewhere"; error: Error }
  | { phase: "failed"; error: Error }
  | { phase: "done" };

type WithDefaults<Defaults, Members> = Members extends unknown ? Omit<Defaults, keyof Members> & Members : never;

/**
 * The state of one action. Two rules hold in every state, and the types enforce both:
 * - The wallet is asked to sign (`asking`, or `running` at stage `signing`) only with a `VerifiedBuild`.
 * - Bytes are in flight (`running` at stage `sending` or `confirming`, or `unknown`) only with an `InFlightRecord`,
 *   which exists only after it was stored.
 */
export type FlowState<Request = AnyRequest, Build = BuildResult, About = AnyAbout> = WithDefaults<
  DefaultMembers<Request, Build, About>,
  PhaseMembers<Request, Build, About>
>;

/** Returns whether the flow checks the outcome of bytes that an earlier start sent. It then asks for no signature. */
export const isCheckingEarlierStart = ({ phase, build }: { phase: FlowState["phase"]; build: unknown }) =>
  phase === "running" && build === null;

type OfferedMembers = "unsignedSteps" | "doubts" | "previousBuild" | "expiresAt" | "signBy" | "note" | "isContinuing";

export interface Offer extends Pick<FlowState, OfferedMembers> {
  build: VerifiedBuild;
  sendCounter: string;
}

const NO_FAILURE = { error: null, signError: null, stage: null } as const;

export const IDLE_STATE = {
  ...NO_FAILURE,
  phase: "idle",
  record: null,
  build: null,
  hasBeenShown: false,
  ownRecord: null,
  doubts: [],
  previousBuild: null,
  expiresAt: 0,
  signBy: 0,
  renewalCount: 0,
  isContinuing: false,
  unsignedSteps: [],
  note: null,
  sendCounter: null,
} as const;

/** Maps each event to the state that follows. An event that does not fit the state changes nothing. */
const TRANSITIONS = {
  started: (_state, { request }: { request: AnyRequest }) => ({
    ...IDLE_STATE,
    phase: "building",
    record: { request, done: [], inFlight: null },
  }),
  /** The flow continues the stored record, or checks its bytes in flight before it discards the record. */
  resumed: (_state, { record }: { record: FlowRecord | null }) =>
    record ? toRunningState({ ...IDLE_STATE, hasBeenShown: true }, record, null) : IDLE_STATE,
  closed: () => IDLE_STATE,
  buildStarted: (state, members: { note: string | null; renewalCount: number; isContinuing: boolean }) => {
    const knownState = clearFailure(state);
    return knownState ? { ...knownState, ...members, phase: "building" } : state;
  },
  buildRefused: (state, members: { build: UnreadyBuild; sendCounter: string }) =>
    state.phase === "building"
      ? { ...state, ...members, phase: "refused", previousBuild: null, unsignedSteps: [] }
      : state,
  buildOffered: (state, { offer }: { offer: Offer }) =>
    state.phase === "building" ? { ...state, ...offer, phase: "review", hasBeenShown: true } : state,
  confirmed: (state) =>
    state.phase === "review" && !state.build.blocked
      ? { ...state, phase: "asking", signError: null, note: null }
      : state,
  doubtsFound: (state, { doubts }: { doubts: readonly PriceDoubt[] }) =>
    state.phase === "review" || state.phase === "asking" ? { ...state, phase: "review", doubts } : state,
  signatureMissing: (state, { error }: { error: unknown }) => {
    if (state.phase === "asking") return { ...state, phase: "review", isContinuing: false, signError: error };
    // The wallet declined in the middle of an action. Retrying builds the remaining transactions.
    return state.stage === "signing" ? { ...state, phase: "failed", stage: null, error: toError(error) } : state;
  },
  /** Another tab or program holds the wallet's lock. */
  lockHeld: (state, { note }: { note: string }) => {
    if (state.phase === "asking") return { ...state, phase: "review", note };
    return isPosting(state) ? { ...state, phase: "unknown", stage: null, note } : state;
  },
  signed: (state) => (state.phase === "asking" ? { ...state, phase: "running", stage: "signing" } : state),
  signedStored: (state, { record }: { record: InFlightRecord }) =>
    state.stage === "signing"
      ? { ...state, stage: "sending", record, unsignedSteps: state.unsignedSteps.slice(1) }
      : state,
  stageChanged: (state, { stage }: { stage: RelayStage }) => (isPosting(state) ? { ...state, stage } : state),
  outcomeStored: (state, { record, hasLanded }: { record: KnownRecord; hasLanded: boolean }) => {
    if (!isPosting(state)) return state;
    const { build, unsignedSteps } = state;
    // The next transaction is signed only after the previous one has landed.
    return hasLanded && unsignedSteps.length > 0 && build?.ready
      ? { ...state, stage: "signing", record, build }
      : { ...state, stage: "recorded", record };
  },
  outcomeUnknown: (state, members: { error: Error; note: string | null }) =>
    isPosting(state) ? { ...state, ...members, phase: "unknown", stage: null } : state,
  sendCounterChanged: (state, { sendCounter }: { sendCounter: string }) => ({ ...state, sendCounter }),
  progressRead: (state, { record }: { record: KnownRecord }) =>
    state.phase === "idle" || state.phase === "running" || state.phase === "unknown" ? state : { ...state, record },
  /** The flow continues the stored record, which may be of a different action. */
  recordAdopted: (state, { record }: { record: FlowRecord }) =>
    state.phase === "idle" ? state : adoptStoredRecord(state, record),
  checkStarted: (state) => (state.phase === "unknown" ? adoptStoredRecord(state, state.record) : state),
  endedElsewhere: (state) => {
    const knownState = clearFailure(state);
    return knownState ? { ...IDLE_STATE, record: knownState.record } : state;
  },
  savedElsewhere: (state, { error }: { error: Error }) => {
    const knownState = clearFailure(state);
    return knownState ? { ...knownState, phase: "elsewhere", error } : state;
  },
  failed: (state, { error: cause }: { error: unknown }) => {
    const error = toError(cause);
    switch (state.phase) {
      case "building":
      case "review":
      case "asking":
        return { ...state, phase: "failed", signError: null, error };
      case "running":
        // While bytes are in flight, a failure says nothing about their outcome.
        return state.stage === "signing" || state.stage === "recorded"
          ? { ...state, phase: "failed", stage: null, error }
          : { ...state, phase: "unknown", stage: null, error };
      default:
        return state;
    }
  },
  finished: (state) => {
    const knownState = clearFailure(state);
    return knownState ? { ...knownState, phase: "done", note: null, unsignedSteps: [] } : state;
  },
} satisfies Record<string, (state: FlowState, members: never) => FlowState>;

type Transitions = typeof TRANSITIONS;

export type FlowEvent = {
  [Type in keyof Transitions]: { type: Type } & (Parameters<Transitions[Type]> extends [unknown, infer Members]
    ? Members
    : unknown);
}[keyof Transitions];

export function getNextState(state: FlowState, { type, ...members }: FlowEvent): FlowState {
  const applyTransition: (state: FlowState, members: never) => FlowState = TRANSITIONS[type];
  return applyTransition(state, members as never);
}

/** Wallets also throw objects like `{ code, message }`, texts and nothing. */
export function toError(cause: unknown): Error {
  if (cause instanceof Error) return cause;
  const message = typeof cause === "object" && cause !== null && "message" in cause ? cause.message : cause;
  return new Error(String(message), { cause });
}

const isPosting = (state: FlowState): state is Extract<FlowState, { stage: RelayStage }> =>
  state.stage === "sending" || state.stage === "confirming";

/** Returns the state without its failure. Returns null when no action is open or when bytes are in flight. */
function clearFailure(state: FlowState) {
  if (state.phase === "idle") return null;
  const { record, build } = state;
  return record.inFlight ? null : { ...state, ...NO_FAILURE, record, build };
}

function toRunningState(
  shared: Omit<FlowState, "phase" | "record" | "build" | keyof typeof NO_FAILURE>,
  record: FlowRecord,
  build: FlowState["build"],
): FlowState {
  const running = { ...shared, ...NO_FAILURE, phase: "running" as const, build };
  return record.inFlight ? { ...running, stage: "confirming", record } : { ...running, stage: "recorded", record };
}

function adoptStoredRecord(state: Exclude<FlowState, { phase: "idle" }>, record: FlowRecord): FlowState {
  const isOtherPayment = !isSameRequest(state.record.request, record.request);
  const ownRecord = state.ownRecord ?? (isOtherPayment ? state.record : null);
  const shared = { ...state, ownRecord, hasBeenShown: true, unsignedSteps: [], note: null };
  return toRunningState(shared, record, state.build);
}
