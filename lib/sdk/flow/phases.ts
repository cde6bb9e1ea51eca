import type { PriceDoubt } from "../prices/guard";
import type { RelayStage } from "./post-signed";
import type { AnyAbout, AnyRequest, FlowRecord, InFlightRecord, KnownRecord } from "./record";
import type { BuildResult, Step } from "./types";

/* One interface for each phase of a payment. state.ts joins them and leads from one to the next. */

declare const verified: unique symbol;

/** A build whose bytes are what was asked for. Only the verification in build.ts makes one. */
export type VerifiedBuild<B = BuildResult> = B & { readonly ready: true; readonly [verified]: true };

/** A build without transactions: the service, or a price that is out of bounds, is the reason. */
export type UnreadyBuild<B = BuildResult> = B & { readonly ready: false };

export type AnyBuild<B> = VerifiedBuild<B> | UnreadyBuild<B> | null;

export interface SharedState<R, B, D> {
  /** Whether the payment was shown for review since it started. Before that, the form shows problems. */
  open: boolean;
  /**
   * This payment's own record, while the flow follows a different payment that it found in storage. The rest of this
   * payment is not sent then. Null otherwise.
   */
  earlier: FlowRecord<R, D> | null;
  /** Prices of the build that a person must accept before it is signed. */
  doubts: readonly PriceDoubt[];
  /** The build that was reviewed before this one, to show what changed. */
  previous: VerifiedBuild<B> | null;
  /** Until when the build can be signed, ms since the epoch. */
  expiresAt: number;
  /** How many times in a row a timer, and not a person, renewed the build. */
  renewals: number;
  /** Transactions that are not signed yet. */
  waiting: readonly Step<D>[];
  /** Explains to the person why the state changed. */
  note: string | null;
  /** The memory's stamp when the build was requested, or after this flow's own last transaction. */
  stamp: string | null;
}

/** A state without a failure, in which nothing is sent. Other states replace one of these members. */
interface NoFailure {
  error: null;
  /** Why the wallet did not sign. */
  signError: null;
  stage: null;
}

/** A state in which the outcome of every posted transaction is known. */
interface KnownState<R, B, D> extends SharedState<R, B, D>, NoFailure {
  record: KnownRecord<R, D>;
  build: AnyBuild<B>;
}

export interface IdleState<R, B, D> extends SharedState<R, B, D>, NoFailure {
  phase: "idle";
  /** What had landed when another tab ended this payment. Null otherwise. */
  record: KnownRecord<R, D> | null;
  build: null;
}

/** The service is asked for a build. The previous build stays on the screen while a timer renews it. */
export interface BuildingState<R, B, D> extends KnownState<R, B, D> {
  phase: "building";
}

/** The service gave a reason instead of transactions. */
export interface RefusedState<R, B, D> extends KnownState<R, B, D> {
  phase: "refused";
  build: UnreadyBuild<B>;
}

export interface ReviewState<R, B, D> extends Omit<KnownState<R, B, D>, "signError"> {
  phase: "review";
  build: VerifiedBuild<B>;
  signError: unknown;
}

/** The wallet is asked for the first signature. */
export interface AskingState<R = AnyRequest, B = BuildResult, D = AnyAbout> extends KnownState<R, B, D> {
  phase: "asking";
  build: VerifiedBuild<B>;
}

export type RunningState<R, B, D> = SigningState<R, B, D> | InFlightState<R, B, D> | RecordedState<R, B, D>;

/** The wallet is asked for the next signature, or signed bytes are being stored. */
interface SigningState<R, B, D> extends Omit<KnownState<R, B, D>, "stage"> {
  phase: "running";
  stage: "signing";
  build: VerifiedBuild<B>;
}

/** Stored bytes are posted until their outcome is known. */
export interface InFlightState<R, B, D> extends SharedState<R, B, D>, Omit<NoFailure, "stage"> {
  phase: "running";
  stage: RelayStage;
  record: InFlightRecord<R, D>;
  build: AnyBuild<B>;
}

/** The outcome is stored. The engine decides what follows. */
interface RecordedState<R, B, D> extends Omit<KnownState<R, B, D>, "stage"> {
  phase: "running";
  stage: "recorded";
}

/** Bytes were posted and may have landed. The person can ask for their outcome again. */
export interface UnknownState<R, B, D> extends SharedState<R, B, D>, Omit<NoFailure, "error"> {
  phase: "unknown";
  record: InFlightRecord<R, D>;
  build: AnyBuild<B>;
  error: Error | null;
}

/** Another device or program has saved the same payments, or is saving them. */
export interface ElsewhereState<R, B, D> extends Omit<KnownState<R, B, D>, "error"> {
  phase: "elsewhere";
  error: Error;
}

export interface FailedState<R, B, D> extends Omit<KnownState<R, B, D>, "error"> {
  phase: "failed";
  error: Error;
}

export interface DoneState<R, B, D> extends KnownState<R, B, D> {
  phase: "done";
}
