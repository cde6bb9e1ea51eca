import type { Calls } from "../calls/calls";
import type { AcceptPrices, PriceDoubt, PriceGuard } from "../prices/guard";
import type { AssetPrices } from "../prices/memory";
import type { Clock, Lock, Storage } from "../world";
import type { RelayStage } from "./post-signed";
import type { Unfinished } from "./unfinished";

/**
 * A run of transactions of one wallet: built, shown, signed, relayed one after the other, and continued after whatever
 * went wrong in between. Nothing is signed that was not shown, and nothing is built anew while the outcome of something
 * sent is unknown.
 */
type Phase =
  | "idle"
  | "building"
  /** The service says why nothing was built. */
  | "refused"
  | "review"
  /** The wallet is asked for a signature. */
  | "asking"
  | "running"
  /** Sent, outcome not known. */
  | "unknown"
  /** Another device or program has saved the same, or is at it. */
  | "elsewhere"
  | "failed"
  | "done";

export interface Step<D> {
  /** A few words. */
  label: string;
  /** Unsigned, base64. */
  transaction: string;
  about: D;
}

export interface BuildResult {
  /** Whether there is something to look at and sign. */
  ready: boolean;
  reason: string | null;
  /** Why it can be looked at but not be signed. */
  blocked?: string | null;
}

/** What makes an investment different from a withdrawal or a saving. */
export interface FlowSpec<R, B extends BuildResult, D> {
  name: string;
  /** Whose signature its transactions need, base58. */
  wallet: string;
  /**
   * @param careful an earlier transaction was refused, maybe because of what strangers sent to the wallet meanwhile
   * @throws {ApiError}
   */
  build(calls: Calls, request: R, careful?: boolean): Promise<B>;
  stepsOf(build: B, request: R): Step<D>[];
  /**
   * Holds the transactions against what was asked for, before they are shown and again before they are signed.
   * @returns the build with the figures that their bytes say @throws {NotAsShown}
   */
  verify(build: B, request: R): Promise<B>;
  /** The prices that a build rests on. Absent where none matters: prices never stop a withdrawal. */
  pricesOf?(build: B): AssetPrices;
  /**
   * Holds what came back signed against what was shown; not asked where only signatures differ, and nothing else may where it is missing.
   * @returns what is to be remembered of it, with the figures that its bytes say @throws {NotAsShown}
   */
  verifySigned?(step: Step<D>, signed: string): Promise<D>;
  /**
   * Whether what was built after the transactions of one review landed was agreed to in that review, so that it is
   * signed without another; never where it is missing. What is left to do after an interruption is always shown.
   */
  isAgreed?(build: B, record: Unfinished<R, D>): boolean;
  /** Whether a build renewed unasked is so much worse than the one that was looked at that it must be looked at again. */
  isWorse?(build: B, seen: B): boolean;
  /** Whether what strangers send to the wallet can make this transaction fail. Then the next build is a careful one. */
  isSpoilable?(about: D): boolean;
  /** What is left to do, null when all is done. */
  restOf(request: R, done: Unfinished<R, D>["done"]): R | null;
}

export interface FlowState<R, B, D> {
  phase: Phase;
  /** Whether it was shown for review since it was started; before that, the form speaks. */
  open: boolean;
  record: Unfinished<R, D> | null;
  /** Null unless that is of another request, whose outcome was found open: then what was known of this one, of which no more is begun. */
  earlier: Unfinished<R, D> | null;
  build: B | null;
  /** Prices of the build that must be accepted before it is signed. */
  doubts: readonly PriceDoubt[];
  /** The build that was looked at before this one, to show what changed. */
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
  /** Why no signature came. */
  signError: unknown;
}

/** Signs a transaction (base64) and gives it back with its signature, base64. It may ask a person. */
export type SignTransaction = (transaction: string) => Promise<string>;

export interface World<D> {
  calls: Calls;
  clock: Clock;
  storage: Storage;
  lock: Lock;
  prices: PriceGuard;
  /** Where no page shows the doubts; without it, `drive` refuses a build whose prices are in doubt. */
  acceptPrices?: AcceptPrices;
  /** Makes the wallet ready to sign: whatever a person has to be asked before, is asked here. */
  openSigner(): Promise<SignTransaction>;
  /** This has landed: balances are to be read again. */
  landed(about: D, txSignature: string): void;
}

export interface Flow<R, B, D> {
  state(): FlowState<R, B, D>;
  subscribe(listener: () => void): () => void;
  start(request: R): Promise<void>;
  /** Goes on with what is remembered as unfinished. */
  resume(): Promise<void>;
  /** Builds what is left again; `byItself` when nobody asked for it. */
  renew(note: string | null, byItself?: boolean): Promise<void>;
  confirm(): Promise<void>;
  /** A person's word that the prices in doubt are right. */
  acceptPrices(): Promise<void>;
  /** Asks what became of what is in flight. */
  checkAgain(): Promise<void>;
  /** Closes the review; what is unfinished stays remembered. */
  close(): void;
  /** Forgets what is left, unless it is being sent right now or may still land: that is asked for first. */
  discard(): Promise<void>;
}
