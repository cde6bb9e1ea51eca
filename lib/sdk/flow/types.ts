import type nacl from "tweetnacl";
import type { Credentials } from "../calls/calls";
import type { RelayStage } from "./relay";
import type { Unfinished } from "./unfinished";

/**
 * A run of transactions that the service key signs: built, shown, signed, relayed one after the other, and continued
 * after whatever went wrong in between. Nothing is signed that was not shown, and nothing is built anew while the
 * outcome of something sent is unknown.
 */
export type Phase =
  | "idle"
  | "building"
  /** The service says why nothing was built. */
  | "refused"
  | "review"
  /** The wallet is asked for the service key. */
  | "asking"
  | "running"
  /** Sent, outcome not known. */
  | "unknown"
  | "failed"
  | "done";

export interface Step<D> {
  /** A few words. */
  label: string;
  /** Unsigned, base64. */
  transaction: string;
  about: D;
}

export interface Built {
  ready: boolean;
  reason: string | null;
}

/** What makes an investment different from a withdrawal. */
export interface FlowSpec<R, B extends Built, D> {
  name: string;
  /** @throws {ApiError} */
  build(request: R, credentials: Credentials): Promise<B>;
  stepsOf(build: B, request: R): Step<D>[];
  /** Throws when the transactions are not what the build says. */
  verify(build: B, request: R): Promise<void>;
  /** What is left to do, null when all is done. */
  restOf(request: R, done: Unfinished<R, D>["done"]): R | null;
}

export interface FlowState<R, B, D> {
  phase: Phase;
  /** Whether it was shown for review since it was started; before that, the form speaks. */
  open: boolean;
  record: Unfinished<R, D> | null;
  build: B | null;
  /** The build before this one, to show what changed. */
  previous: B | null;
  /** Until when the build can be signed, ms since the epoch. */
  expiresAt: number;
  /** Times in a row that it was rebuilt without anybody asking. */
  renewals: number;
  /** Not signed yet. */
  waiting: Step<D>[];
  /** Of the one in flight. */
  stage: RelayStage;
  /** What the person should know about the last turn of things. */
  note: string | null;
  error: Error | null;
  /** Why the service key did not come. */
  keyError: unknown;
}

export interface World {
  credentials: Credentials;
  serviceKey(): Promise<nacl.SignKeyPair>;
  keep(record: unknown): void;
  /** What is kept of the last run, by whichever tab. */
  kept(): Unfinished<unknown, unknown> | null;
  /** Something landed: balances are to be read again. */
  landed(): void;
  /** Runs the task unless another tab runs one for this wallet. @returns whether it ran */
  alone(task: () => Promise<void>): Promise<boolean>;
}

export interface Flow<R, B, D> {
  state(): FlowState<R, B, D>;
  subscribe(listener: () => void): () => void;
  start(request: R): Promise<void>;
  resume(record: Unfinished<R, D>): Promise<void>;
  /** Builds what is left again; `byItself` when nobody asked for it. */
  renew(note: string | null, byItself?: boolean): Promise<void>;
  confirm(): Promise<void>;
  /** Asks what became of what is in flight. */
  checkAgain(): Promise<void>;
  /** Closes the review; what is unfinished stays remembered. */
  close(): void;
  /** Forgets what is left. */
  discard(): void;
}
