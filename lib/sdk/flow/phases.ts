import type { PriceDoubt } from "../prices/guard";
import type { RelayStage } from "./post-signed";
import type { AnyAbout, AnyRequest, FlowRecord, InFlightRecord, KnownRecord } from "./record";
import type { BuildResult, Step } from "./types";

/* One interface for each phase of a payment. state.ts joins them and leads from one to the next. */

declare const verified: unique symbol;

/** A build whose bytes match the request. Only the verification in build.ts makes one. */
export type VerifiedBuild<Build = BuildResult> = Build & { readonly ready: true; readonly [verified]: true };

/** A build without transactions to sign, because the service gave a reason or a price is out of bounds. */
export type UnreadyBuild<Build = BuildResult> = Build & { readonly ready: false };

export type AnyBuild<Build> = VerifiedBuild<Build> | UnreadyBuild<Build> | null;

export interface SharedState<Request, Build, About> {
  /** Whether the payment was shown for review since it started. Before that, the form shows problems. */
  isOpen: boolean;
  /**
   * This payment's own record, while the flow follows a different payment that it found in storage. The flow then sends
   * nothing more of this payment. Null otherwise.
   */
  ownRecord: FlowRecord<Request, About> | null;
  /** Prices of the build that a person must accept before it is signed. */
  doubts: readonly PriceDoubt[];
  /** The previously reviewed build, to show what changed. Null when there was none. */
  previousBuild: VerifiedBuild<Build> | null;
  /** The build can be signed until this time, ms since the Unix epoch; 0 before the first build. */
  expiresAt: number;
  /** How many times in a row a timer, and not a person, has renewed the build. */
  renewalCount: number;
  /** Whether the flow builds and signs the next part without asking, because an earlier review covers it. */
  isContinuing: boolean;
  /** Transactions that are not signed yet. */
  unsignedSteps: readonly Step<About>[];
  /** Explains to the person why the state changed; null when nothing needs an explanation. */
  note: string | null;
  /** The send counter of storage when the build was requested, or after this flow's own last transaction. */
  sendCounter: string | null;
}

/** A state without a failure, in which nothing is sent. Other states replace one of these members. */
interface NoFailure {
  error: null;
  /** Why the wallet did not sign: whatever the wallet threw. */
  signError: null;
  stage: null;
}

/** A state in which the outcome of every posted transaction is known. */
interface KnownState<Request, Build, About> extends SharedState<Request, Build, About>, NoFailure {
  record: KnownRecord<Request, About>;
  build: AnyBuild<Build>;
}

export interface IdleState<Request, Build, About> extends SharedState<Request, Build, About>, NoFailure {
  phase: "idle";
  /** The record with what had landed when another tab ended this payment. Null otherwise. */
  record: KnownRecord<Request, About> | null;
  build: null;
}

/** The flow asks the service for a build. The previous build stays on the screen while a timer renews it. */
export interface BuildingState<Request, Build, About> extends KnownState<Request, Build, About> {
  phase: "building";
}

/** The service gave a reason instead of transactions. */
export interface RefusedState<Request, Build, About> extends KnownState<Request, Build, About> {
  phase: "refused";
  build: UnreadyBuild<Build>;
}

/** The person reviews a build. */
export interface ReviewState<Request, Build, About> extends Omit<KnownState<Request, Build, About>, "signError"> {
  phase: "review";
  build: VerifiedBuild<Build>;
  signError: unknown;
}

/** The flow asks the wallet for the first signature. */
export interface AskingState<Request = AnyRequest, Build = BuildResult, About = AnyAbout>
  extends KnownState<Request, Build, About> {
  phase: "asking";
  build: VerifiedBuild<Build>;
}

export type RunningState<Request, Build, About> =
  | SigningState<Request, Build, About>
  | InFlightState<Request, Build, About>
  | RecordedState<Request, Build, About>;

/** The flow asks the wallet for the next signature, or stores the signed bytes. */
interface SigningState<Request, Build, About> extends Omit<KnownState<Request, Build, About>, "stage"> {
  phase: "running";
  stage: "signing";
  build: VerifiedBuild<Build>;
}

/** The flow posts stored bytes until their outcome is known. */
export interface InFlightState<Request, Build, About>
  extends SharedState<Request, Build, About>,
    Omit<NoFailure, "stage"> {
  phase: "running";
  stage: RelayStage;
  record: InFlightRecord<Request, About>;
  build: AnyBuild<Build>;
}

/** The outcome is stored. The engine decides what follows. */
interface RecordedState<Request, Build, About> extends Omit<KnownState<Request, Build, About>, "stage"> {
  phase: "running";
  stage: "recorded";
}

/** Bytes were posted and may have landed. The person can ask for their outcome again. */
export interface UnknownState<Request, Build, About>
  extends SharedState<Request, Build, About>,
    Omit<NoFailure, "error"> {
  phase: "unknown";
  record: InFlightRecord<Request, About>;
  build: AnyBuild<Build>;
  error: Error | null;
}

/** Another device or program has saved the same payments, or is saving them. */
export interface ElsewhereState<Request, Build, About> extends Omit<KnownState<Request, Build, About>, "error"> {
  phase: "elsewhere";
  error: Error;
}

export interface FailedState<Request, Build, About> extends Omit<KnownState<Request, Build, About>, "error"> {
  phase: "failed";
  error: Error;
}

export interface DoneState<Request, Build, About> extends KnownState<Request, Build, About> {
  phase: "done";
}
