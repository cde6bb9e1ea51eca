/**
 * The Roundup SDK: signs in, saves change, invests it and withdraws it. Private keys stay with the caller.
 * This folder holds what every client needs, in browsers and in Node. React code belongs in app/_client.
 */

import { toNetwork } from "../domain/signed-texts";
import {
  type Abortable,
  type Calls,
  createCalls,
  DEFAULT_MAX_WAIT_MS,
  DEFAULT_RETRIES,
  type LimitOptions,
} from "./calls/calls";
import { type EventsRequest, followEvents, type RoundupEvent } from "./events";
import {
  type AllowanceBuild,
  type AllowanceRecord,
  type AllowanceRequest,
  createAllowanceSpec,
  createRevocationSpec,
  type RevocationBuild,
  type RevocationRecord,
  type RevocationRequest,
} from "./flow/allowance";
import { createInvestSpec, type InvestmentRecord, type SwapBuild } from "./flow/invest";
import { type Confirm, type Result, runFlow } from "./flow/run-flow";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "./flow/save";
import { createSellSpec, type SaleBuild, type SaleRecord } from "./flow/sell";
import { createTopupSpec, type TopupRequest } from "./flow/topup";
import type { BuildResult, FlowSpec } from "./flow/types";
import { createWithdrawSpec, type WithdrawalRecord, type WithdrawBuild } from "./flow/withdraw";
import type { WrapRecord as TopupRecord } from "./flow/wraps";
import {
  type Clock,
  createMemoryStorage,
  createProcessLock,
  type Fetch,
  type Lock,
  rejectOnAbort,
  type Storage,
  systemClock,
  systemFetch,
} from "./platform";
import { type AcceptPrices, createPriceGuard, type PriceGuard, type PriceSource } from "./prices/guard";
import { createReads, type Reads } from "./reads";
import {
  checkSaveRequest,
  type InvestRequest,
  type SaveRequest,
  type SellRequest,
  type WithdrawRequest,
} from "./requests";
import { createSession } from "./session";
import type { CreationOptions } from "./sign/service-wallet";
import { type TextSigner, toDeployment } from "./sign/texts";
import { signWithKey } from "./sign/transactions";

export type { Allocation } from "../domain/allocations";
export { attach } from "./attach";
export * from "./client";
export * from "./errors";
export type {
  AllowanceBuild,
  AllowanceRecord,
  AllowanceRequest,
  RevocationBuild,
  RevocationRecord,
  RevocationRequest,
} from "./flow/allowance";
export type { InvestmentRecord, SwapBuild } from "./flow/invest";
export type { Confirm, Result } from "./flow/run-flow";
export type { SaveBuild, SavingRecord } from "./flow/save";
export type { SaleBuild, SaleRecord } from "./flow/sell";
export type { TopupRequest } from "./flow/topup";
export type { WithdrawalRecord, WithdrawBuild } from "./flow/withdraw";
export type { WrapRecord as TopupRecord } from "./flow/wraps";
export type { Clock, Fetch, Lock, Storage } from "./platform";
export { createPreparer, type PreparedSave, type PrepareRequest, type Preparer, type PreparerOptions } from "./prepare";
export {
  type AcceptPrices,
  type AssetPrices,
  describeDoubts as doubtText,
  type PriceDoubt,
  type PriceGuard,
  type PriceSource,
} from "./prices/guard";
export type { Activity, Allowance, Overview, PageRequest, Reads, Spending, SpendingRequest } from "./reads";
export type { RecoverChain } from "./recover/chain-reads";
export type { Contents, Token } from "./recover/contents";
export { createDerivationText as derivationText, inspect, type RecoverOptions, recover } from "./recover/recover";
export { type FoundAllowance, inspectAllowance, type RevokeOptions, revokeAllowance } from "./recover/revoke-allowance";
export type {
  InvestRequest,
  SaveRequest,
  SavingTerms,
  SellRequest,
  WithdrawRequest,
} from "./requests";
export type { KeyPair } from "./sign/key-pair";
export { createKeyWallet as keyWallet } from "./sign/key-wallet";
export type { Recovery } from "./sign/service-wallet";
export type { TextSigner } from "./sign/texts";
export * from "./verify";

/** The user's own wallet. It may prompt the user for every signature. */
export interface Wallet extends TextSigner {
  /** Returns the signed transaction (base64). The wallet may add compute-budget instructions before it signs. */
  signTransaction(transaction: string): Promise<string>;
}

/** The options of `createRoundup`. `maxWaitMs` is 10,000 by default. */
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
   * The user's own wallet, base58, if `wallet` is its service wallet. Without the user's key, savings are possible by
   * allowance only. Default: `wallet` is the user's own wallet.
   */
  owner?: string;
  /**
   * How long the wallet's owner takes to sign, ms, e.g. 10,000 for a person; default 0. A transaction that expires sooner
   * is built again before the wallet is asked, and `confirm` sees the new build.
   */
  signingMs?: number;
  /**
   * Stores unfinished actions and confirmed prices. The default is process memory, which is lost on exit. Each start
   * then accepts any first price within this package's fixed bounds.
   */
  storage?: Storage;
  /** Lock shared by all programs that use the same storage. Default: a lock within this process. */
  lock?: Lock;
  /** Confirms prices that moved too far. The SDK refuses such an action unless this or `acceptPrices` confirms its price. */
  priceSource?: PriceSource;
  /** Asks the user about prices that moved too far. A program must not answer for the user. */
  acceptPrices?: AcceptPrices;
  /**
   * Saves the recovery of a service wallet that comes from an off-chain message, as hardware wallets sign. Such a wallet
   * is refused without it.
   */
  saveRecovery?: CreationOptions["saveRecovery"];
  fetch?: Fetch;
  clock?: Clock;
  /** How many times a call that lost its connection is retried; default 3. */
  retries?: number;
}

/** `confirm` decides whether each build is signed. */
type ActionFunction<Request, Build, About> = (
  request: Request,
  confirm: Confirm<Build>,
  options?: Abortable,
) => Promise<Result<About, Build>>;

/**
 * Every action takes a `signal`. After an abort nothing more is signed, but what was signed before may have been sent.
 * The next call with the same request learns the outcome.
 */
export interface Roundup extends Reads {
  /** Returns the address of the service wallet. The first call prompts the wallet to sign in and to derive it. */
  serviceWallet(): Promise<string>;
  /**
   * Saves the change of at most 500 purchases. After an interruption, the same call with the same storage continues and
   * never pays twice. @throws {RangeError} on more than 500 purchases
   */
  save: ActionFunction<SaveRequest, SaveBuild, SavingRecord>;
  /** Saves a fixed amount: once, or once for each `period`. */
  topup: ActionFunction<TopupRequest, SaveBuild, TopupRecord>;
  /** Sets the allowance of the service wallet: the USDC that it may take. A new allowance replaces the old one. */
  allow: ActionFunction<AllowanceRequest, AllowanceBuild, AllowanceRecord>;
  revokeAllowance: ActionFunction<RevocationRequest, RevocationBuild, RevocationRecord>;
  /** Buys assets with the saved SOL. */
  invest: ActionFunction<InvestRequest, SwapBuild, InvestmentRecord>;
  /** Sells an asset for SOL or USDC, which stays in the service wallet. */
  sell: ActionFunction<SellRequest, SaleBuild, SaleRecord>;
  /** Sells what the user's own wallet holds. A wallet with little SOL gets it for its USDC this way. */
  sellOwn: ActionFunction<SellRequest, SaleBuild, SaleRecord>;
  withdraw: ActionFunction<WithdrawRequest, WithdrawBuild, WithdrawalRecord>;
  /** Compares the price of each action with the prices confirmed in this storage. */
  priceGuard: PriceGuard;
  /** Yields the outcomes of the wallet's transactions in order. Throws as `followEvents` does. */
  events(request?: Omit<EventsRequest, "wallet">): AsyncGenerator<RoundupEvent, never>;
  /** Returns a client for every API operation, with the signed-in credentials. */
  calls(): Promise<Calls>;
  /** Discards the sign-in and the service wallet's key. */
  signOut(): void;
}

/**
 * @throws {RangeError} when `origin` is neither an origin nor `sandbox`, and when `owner` is the address of `wallet`
 */
export function createRoundup(options: RoundupOptions): Roundup {
  const { wallet, baseUrl, storage = createMemoryStorage(), lock = createProcessLock() } = options;
  const { fetch = systemFetch, clock = systemClock, onLimit } = options;
  const { retries = DEFAULT_RETRIES, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  const deployment = toDeployment(options.origin ?? new URL(baseUrl).origin);
  const creation = { deployment, saveRecovery: options.saveRecovery };
  const address = options.owner ?? wallet.address;
  // Otherwise an investment would spend what the user's own wallet holds.
  if (options.owner === wallet.address) throw new RangeError("The wallet is the owner's own, not its savings wallet.");
  const session = {
    ...createSession(wallet, creation, (credentials, signal) =>
      createCalls({ baseUrl, fetch, clock, retries, onLimit, maxWaitMs, signal, credentials: () => credentials }),
    ),
    ...(options.owner !== undefined && { getServiceWallet: async () => wallet.address }),
  };
  const network = toNetwork(deployment);
  const priceGuard = createPriceGuard({ storage, clock, network, source: options.priceSource });
  const flowOptions = { clock, storage, lock, prices: priceGuard, maxWaitMs };
  const openSigner = async (signer: string) => {
    if (signer === address && address !== wallet.address) throw new RangeError(NO_USER_KEY_TEXT);
    if (signer === wallet.address) return (transaction: string) => wallet.signTransaction(transaction);
    const keys = await session.getServiceKeys();
    return async (transaction: string) => signWithKey(transaction, keys);
  };
  const createPayment =
    <Request, Build extends BuildResult, About>(
      createSpec: (serviceWallet: string) => FlowSpec<Request, Build, About>,
    ): ActionFunction<Request, Build, About> =>
    async (request, confirm, { signal } = {}) => {
      const preparation = Promise.all([session.getServiceWallet(), session.getCalls(signal)]);
      const [serviceWallet, calls] = await rejectOnAbort(preparation, signal);
      const spec = createSpec(serviceWallet);
      const signingMs = spec.wallet === address ? options.signingMs : undefined;
      // Read for each action, because the caller may set `acceptPrices` later.
      const context = { ...flowOptions, calls, openSigner, signingMs, acceptPrices: options.acceptPrices };
      return runFlow(spec, context, request, confirm, signal);
    };
  const save: Roundup["save"] = createPayment((serviceWallet) => createSaveSpec(address, serviceWallet, network));
  return {
    ...createReads(address, session),
    priceGuard,
    serviceWallet: session.getServiceWallet,
    events: (request = {}) => {
      // The first call signs in, so that a connection that is lost during the sign-in is retried too.
      const get: Calls["get"] = async (path, callOptions) => {
        const calls = await rejectOnAbort(session.getCalls(), callOptions?.signal);
        return calls.get(path, callOptions);
      };
      return followEvents({ get }, request, clock);
    },
    calls: () => session.getCalls(),
    signOut: session.signOut,
    // `checkSaveRequest` refuses purchases that need several transactions. With memory storage, a restart would save the
    // first ones again.
    save: async (request, confirm, callOptions) => save(checkSaveRequest(request), confirm, callOptions),
    topup: createPayment((serviceWallet) => createTopupSpec(address, serviceWallet, network)),
    allow: createPayment((serviceWallet) => createAllowanceSpec(address, serviceWallet, network)),
    revokeAllowance: createPayment((serviceWallet) => createRevocationSpec(address, serviceWallet, network)),
    invest: createPayment((serviceWallet) => createInvestSpec(serviceWallet, network)),
    sell: createPayment((serviceWallet) => createSellSpec(serviceWallet, network)),
    sellOwn: createPayment(() => createSellSpec(address, network)),
    withdraw: createPayment((serviceWallet) => createWithdrawSpec(serviceWallet, network)),
  };
}

const NO_USER_KEY_TEXT =
  "The user's own wallet must sign this. The savings wallet's key alone can save by allowance only.";
