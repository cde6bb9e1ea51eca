/**
 * The Roundup SDK: signs in, saves spare change, invests it and withdraws it. Private keys stay with the caller.
 * This folder holds what every client needs, in browsers and in Node. React code belongs in app/_client. The
 * command-line program is in cli/, and no other folder here may import it.
 */

import bs58 from "bs58";
import { toNetwork } from "../domain/texts";
import { rejectOnAbort } from "./abort";
import {
  type Abortable,
  type Calls,
  type Credentials,
  createCalls,
  DEFAULT_MAX_WAIT_MS,
  type LimitOptions,
} from "./calls/calls";
import { type EventsRequest, followEvents, type RoundupEvent } from "./events";
import { type Confirm, type Result, runFlow } from "./flow/drive";
import { createInvestSpec, type PurchaseRecord, type SwapBuild } from "./flow/invest";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "./flow/save";
import { createSellSpec, type SaleBuild, type SaleRecord } from "./flow/sell";
import { createTopupSpec, type TopupRequest } from "./flow/topup";
import type { BuildResult, FlowContext, FlowSpec } from "./flow/types";
import { createWithdrawSpec, type WithdrawalRecord, type WithdrawBuild } from "./flow/withdraw";
import { type AcceptPrices, createPriceGuard, type PriceGuard, type PriceSource } from "./prices/guard";
import { createReads, type Reads } from "./reads";
import {
  type InvestRequest,
  type OldInvestRequest,
  type OldSaveRequest,
  type OldSellRequest,
  type OldWithdrawRequest,
  readSaveRequest,
  type SaveRequest,
  type SellRequest,
  toFlowRequest,
  toPublicResult,
  type WithdrawRequest,
} from "./requests";
import type { KeyPair } from "./sign/key-pair";
import { createServiceWallet } from "./sign/service-wallet";
import { signIn } from "./sign/sign-in";
import { type TextSigner, toDeployment } from "./sign/texts";
import { signWithKey } from "./sign/transactions";
import {
  type Clock,
  type Fetch,
  type Lock,
  memoryStorage,
  processLock,
  type Storage,
  systemClock,
  systemFetch,
} from "./world";

export type { Allocation } from "../domain/allocations";
export { attach } from "./attach";
export * from "./client";
export * from "./errors";
export type { Confirm, Result } from "./flow/drive";
export type { PurchaseRecord, SwapBuild } from "./flow/invest";
export type { SaveBuild, SavingRecord } from "./flow/save";
export type { SaleBuild, SaleRecord } from "./flow/sell";
export type { TopupRequest } from "./flow/topup";
export type { WithdrawalRecord, WithdrawBuild } from "./flow/withdraw";
export { createPreparer, type PreparedSave, type PrepareRequest, type Preparer, type PreparerOptions } from "./prepare";
export {
  type AcceptPrices,
  describeDoubts as doubtText,
  type PriceDoubt,
  type PriceGuard,
  type PriceSource,
} from "./prices/guard";
export type { AssetPrices } from "./prices/memory";
export type { Activity, Overview, PageRequest, Reads, Spending, SpendingRequest } from "./reads";
export type { Contents, RecoverChain, Token } from "./recover/contents";
export { derivationText, inspect, type RecoverOptions, recover } from "./recover/recover";
export type {
  InvestRequest,
  Leg,
  OldInvestRequest,
  OldSaveRequest,
  OldSellRequest,
  OldWithdrawRequest,
  SaveRequest,
  SavingTerms,
  SellRequest,
  WithdrawRequest,
} from "./requests";
export type { KeyPair } from "./sign/key-pair";
export { keyWallet } from "./sign/key-wallet";
export type { TextSigner } from "./sign/texts";
export * from "./verify";
export type { Clock, Fetch, Lock, Storage } from "./world";

/** The user's own wallet. It may prompt the user for every signature. */
export interface Wallet extends TextSigner {
  /** Returns the signed transaction (base64). The wallet may add compute-budget instructions before it signs. */
  signTransaction(transaction: string): Promise<string>;
}

/** `maxWaitMs` is 10 s by default. */
export interface RoundupOptions extends LimitOptions {
  /** Base URL of the service, e.g. `https://roundup.example`. */
  baseUrl: string;
  /**
   * The deployment that the service's texts must name: its origin, or `sandbox` for play money. The SDK refuses to sign
   * any other text. Default: the origin of `baseUrl`.
   */
  origin?: string;
  wallet: Wallet;
  /**
   * Stores unfinished payments and confirmed prices. The default is process memory, which is lost on exit. After each
   * start the SDK then accepts any first price within this package's fixed bounds.
   */
  storage?: Storage;
  /** Lock shared by all programs that use the same storage. Default: a lock within this process. */
  lock?: Lock;
  /** Confirms prices that moved too far. The SDK refuses a payment unless this or `acceptPrices` confirms its price. */
  priceSource?: PriceSource;
  /** Asks the user about prices that moved too far. A program must not answer for the user. */
  acceptPrices?: AcceptPrices;
  fetch?: Fetch;
  clock?: Clock;
  /** Retries of a call that lost its connection; default 3. */
  retries?: number;
}

type Pay<Request, Build, About> = (
  request: Request,
  confirm: Confirm<Build>,
  options?: Abortable,
) => Promise<Result<About, Build>>;

/**
 * Every payment takes a `signal`. After an abort nothing more is signed, but what was signed before may have been sent.
 * The next call with the same request learns its outcome.
 */
export interface Roundup extends Reads {
  /**
   * Returns the address of the service wallet. The first call prompts the wallet to sign in and to derive it.
   * @throws {ApiError}
   */
  serviceWallet(): Promise<string>;
  /**
   * Saves the change of at most 500 purchases. `confirm` sees each build before it is signed. A repeated call never
   * pays twice.
   * @throws {RangeError} on more than 500 purchases
   */
  save: Pay<SaveRequest | OldSaveRequest, SaveBuild, SavingRecord>;
  /** Saves a fixed amount: once, or once for each `period`. */
  topup: Pay<TopupRequest, SaveBuild, SavingRecord>;
  /** Buys assets with the saved SOL. */
  invest: Pay<InvestRequest | OldInvestRequest, SwapBuild, PurchaseRecord>;
  /** Sells an asset for SOL or USDC, which stays in the service wallet. */
  sell: Pay<SellRequest | OldSellRequest, SaleBuild, SaleRecord>;
  /** Withdraws savings from the service wallet. */
  withdraw: Pay<WithdrawRequest | OldWithdrawRequest, WithdrawBuild, WithdrawalRecord>;
  /** Compares the price of each payment with the prices confirmed in this storage. */
  priceGuard: PriceGuard;
  /**
   * Yields the outcomes of the wallet's transactions in order: `for await (const event of roundup.events({ after }))`.
   * @throws as `followEvents` does
   */
  events(request?: Omit<EventsRequest, "wallet">): AsyncGenerator<RoundupEvent, never>;
  /** Returns a client for every API operation, with the signed-in credentials. */
  calls(): Promise<Calls>;
  /** Discards the sign-in and the service wallet's key. */
  signOut(): void;
}

/** Creates an SDK client. @throws {RangeError} when `origin` is neither an origin nor `sandbox` */
export function createRoundup(options: RoundupOptions): Roundup {
  const { wallet, baseUrl, storage = memoryStorage(), lock = processLock() } = options;
  const { fetch = systemFetch, clock = systemClock, retries = 3, onLimit, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  const deployment = toDeployment(options.origin ?? new URL(baseUrl).origin);
  const session = createSession(wallet, deployment, (credentials, signal) =>
    createCalls({ baseUrl, fetch, clock, retries, onLimit, maxWaitMs, signal, credentials: () => credentials }),
  );
  const network = toNetwork(deployment);
  const prices = createPriceGuard({ storage, clock, network, source: options.priceSource });
  const openWalletSigner = async () => (transaction: string) => wallet.signTransaction(transaction);
  const openServiceSigner = async () => {
    const keys = await session.serviceKeys();
    return async (transaction: string) => signWithKey(transaction, keys);
  };
  const payWith =
    <PublicRequest extends object, Request, Build extends BuildResult, About>(
      openSigner: FlowContext<About>["openSigner"],
      createSpec: (serviceWallet: string) => FlowSpec<Request, Build, About>,
    ): Pay<PublicRequest, Build, About> =>
    async (publicRequest, confirm, { signal } = {}) => {
      const request = toFlowRequest<Request>(publicRequest);
      const readiness = Promise.all([session.serviceWallet(), session.calls(signal)]);
      const [serviceWallet, calls] = await rejectOnAbort(readiness, signal);
      const { acceptPrices } = options;
      const world = { calls, clock, storage, lock, prices, acceptPrices, maxWaitMs, openSigner, onLanded: () => {} };
      return toPublicResult(await runFlow(createSpec(serviceWallet), world, request, confirm, signal));
    };
  const { address } = wallet;
  const save: Roundup["save"] = payWith(openWalletSigner, (serviceWallet) =>
    createSaveSpec(address, serviceWallet, network),
  );
  return {
    ...createReads(address, session),
    priceGuard: prices,
    serviceWallet: session.serviceWallet,
    events: (request = {}) => {
      // Signs in with the first call, so that a lost connection at that moment is retried too.
      const get: Calls["get"] = async (path, callOptions) => {
        const calls = await rejectOnAbort(session.calls(), callOptions?.signal);
        return calls.get(path, callOptions);
      };
      return followEvents({ get }, request, clock);
    },
    calls: () => session.calls(),
    signOut: session.signOut,
    save: async (request, ...rest) => {
      // Splitting into parts needs durable storage to resume. Memory storage would save the first part twice.
      return save(readSaveRequest(request), ...rest);
    },
    topup: payWith(openWalletSigner, (serviceWallet) => createTopupSpec(address, serviceWallet, network)),
    invest: payWith(openServiceSigner, (serviceWallet) => createInvestSpec(serviceWallet, network)),
    sell: payWith(openServiceSigner, (serviceWallet) => createSellSpec(serviceWallet, network)),
    withdraw: payWith(openServiceSigner, (serviceWallet) => createWithdrawSpec(serviceWallet, network)),
  };
}

/** Creates a session that shares one sign-in and one key derivation among concurrent callers. */
function createSession(
  wallet: Wallet,
  deployment: string,
  createSessionCalls: (credentials: Credentials | null, signal?: AbortSignal) => Calls,
) {
  let signedIn: Promise<Credentials> | null = null;
  let derived: Promise<KeyPair> | null = null;
  const credentials = () => {
    if (signedIn !== null) return signedIn;
    const attempt = signIn(createSessionCalls(null), wallet, deployment);
    signedIn = attempt;
    // After a sign-out, `signedIn` may belong to a newer attempt.
    attempt.catch(() => {
      if (signedIn === attempt) signedIn = null;
    });
    return attempt;
  };
  const calls = async (signal?: AbortSignal) => createSessionCalls(await credentials(), signal);
  const serviceKeys = () => {
    if (derived !== null) return derived;
    const attempt = calls()
      .then((signedInCalls) => createServiceWallet(signedInCalls, wallet, { deployment }))
      .then(({ keys }) => keys);
    derived = attempt;
    attempt.catch(() => {
      if (derived === attempt) derived = null;
    });
    return attempt;
  };
  return {
    calls,
    serviceKeys,
    serviceWallet: async () => bs58.encode((await serviceKeys()).publicKey),
    signOut() {
      void derived?.then(({ secretKey }) => secretKey.fill(0)).catch(() => {});
      signedIn = null;
      derived = null;
    },
  };
}
