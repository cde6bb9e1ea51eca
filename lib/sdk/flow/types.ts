import type { Calls } from "../calls/calls";
import type { Clock, Lock, Storage } from "../platform";
import type { AcceptPrices, AssetPrices, PriceGuard } from "../prices/guard";
import type { AnyAbout, AnyRequest, FlowRecord, LandedStep } from "./record";

export interface Step<About = AnyAbout> {
  /** A few words for the person, e.g. "Buy BTC". */
  label: string;
  /** Unsigned, base64. */
  transaction: string;
  /** The wallet that signs, base58. Absent: the wallet of the spec. */
  signer?: string;
  /** How long the network takes the transaction, counted from the request of the build, ms. */
  validForMs: number;
  about: About;
}

export interface BuildResult {
  ready: boolean;
  /** Why there are no transactions; null when there are some. */
  reason: string | null;
  /** Why the build can be reviewed but not signed. Null or absent when it can be signed. */
  blocked?: string | null;
}

export interface FlowSpec<Request = AnyRequest, Build extends BuildResult = BuildResult, About = AnyAbout> {
  name: string;
  /** The wallet whose actions these are, base58. It signs, unless a step names another signer. */
  wallet: string;
  /**
   * @param expectsTransfers true after a refusal that a stranger's transfer may have caused. The build then avoids
   * transactions that such a transfer can make fail
   * @throws {ApiError}
   */
  build(calls: Calls, request: Request, expectsTransfers?: boolean): Promise<Build>;
  listSteps(build: Build, request: Request): Step<About>[];
  /** Called before the review and before the signature. @returns the figures that the bytes contain @throws {NotAsShown} */
  verify(build: Build, request: Request): Promise<Build>;
  /** Returns the prices that a build depends on. Absent for a withdrawal, which no price may stop. */
  listPrices?(build: Build): AssetPrices;
  /** Compares signed bytes with the reviewed ones. Absent when the wallet may change nothing else. @throws {NotAsShown} */
  verifySigned?(step: Step<About>, signed: string): Promise<About>;
  /**
   * Returns whether the review of the transactions that just landed covers the next build too. The flow then signs that
   * build without another review. After an interruption, it always shows a review. Absent: every build is reviewed.
   */
  isCoveredByReview?(build: Build, record: FlowRecord<Request, About>): boolean;
  /** Returns whether a build that a timer renewed is so much worse that the person must review it again. */
  needsNewReview?(newBuild: Build, reviewedBuild: Build): boolean;
  /** Returns whether a stranger's transfer to the wallet can make this transaction fail. Absent: no transfer can. */
  isBlockableByTransfer?(about: About): boolean;
  /** Null when everything landed. */
  getRemainingRequest(request: Request, landedSteps: LandedStep<About>[]): Request | null;
}

/** Returns a transaction (base64) with its signature. It may ask a person. */
export type SignTransaction = (transaction: string) => Promise<string>;

export interface FlowContext<About = AnyAbout> {
  calls: Calls;
  clock: Clock;
  storage: Storage;
  lock: Lock;
  prices: PriceGuard;
  /** Asks the user to confirm doubtful prices, in a program without a page. Absent: `runFlow` refuses such a build. */
  acceptPrices?: AcceptPrices;
  /** Prepares a wallet for signing. It may ask a person for permission first. @param signer its address */
  openSigner(signer: string): Promise<SignTransaction>;
  /** How long a person takes to sign in the wallet, ms. Default 0: a key signs at once. */
  signingMs?: number;
  /** The longest wait for the rate limit while bytes are posted, ms; see `relay`. */
  maxWaitMs?: number;
  /** Called when a transaction has landed, so that the program can read balances again. */
  onLanded?(about: About, txSignature: string): void;
}
