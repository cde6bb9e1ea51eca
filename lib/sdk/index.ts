/** Roundup for programs: sign in, save spare change, invest it, take it out. The keys stay with whoever calls. */

import bs58 from "bs58";
import { BATCH_SIZE } from "../domain/limits";
import { networkOf } from "../domain/texts";
import { type Calls, type Credentials, createCalls } from "./calls/calls";
import { type Confirm, drive, type Result } from "./flow/drive";
import { type InvestRequest, investSpec, type PurchaseRecord, type SwapBuild } from "./flow/invest";
import { type SaveBuild, type SaveRequest, type SavingRecord, saveSpec } from "./flow/save";
import { type SaleBuild, type SaleRecord, type SellRequest, sellSpec } from "./flow/sell";
import { type TopupRequest, topupSpec } from "./flow/topup";
import type { World } from "./flow/types";
import { type WithdrawalRecord, type WithdrawBuild, type WithdrawRequest, withdrawSpec } from "./flow/withdraw";
import { type AcceptPrices, createPriceGuard, type PriceGuard, type PriceSource } from "./prices/guard";
import { type Reads, readsOf } from "./reads";
import type { KeyPair } from "./sign/key-pair";
import { createServiceWallet } from "./sign/service-wallet";
import { signIn } from "./sign/sign-in";
import { deploymentOf, type TextSigner } from "./sign/texts";
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

export { NotAsShown } from "../domain/not-as-shown";
export { attach, CannotAttach } from "./attach";
export { ApiError } from "./calls/api-error";
export type { Calls, Credentials } from "./calls/calls";
export type { Confirm, Result } from "./flow/drive";
export type { InvestRequest, Leg, PurchaseRecord, SwapBuild } from "./flow/invest";
export type { SaveBuild, SaveRequest, SavingRecord } from "./flow/save";
export type { SaleBuild, SaleRecord, SellRequest } from "./flow/sell";
export type { TopupRequest } from "./flow/topup";
export type { WithdrawalRecord, WithdrawBuild, WithdrawRequest } from "./flow/withdraw";
export { type AcceptPrices, doubtText, type PriceDoubt, type PriceGuard, type PriceSource } from "./prices/guard";
export type { AssetPrices } from "./prices/memory";
export type { Activity, Overview, PageRequest, Reads, Spending, SpendingRequest } from "./reads";
export type { Contents, RecoverChain, Token } from "./recover/contents";
export { derivationText, inspect, RecoverError, type RecoverOptions, recover } from "./recover/recover";
export type { KeyPair } from "./sign/key-pair";
export { keyWallet } from "./sign/key-wallet";
export { NotDeterministicError } from "./sign/service-wallet";
export { AnotherTextError, type TextSigner, WrongAccountError } from "./sign/texts";
export { verifyWrapInstructions, type WrapAsked } from "./verify/wrap";
export type { Clock, Fetch, Lock, Storage } from "./world";

/** The person's own wallet. It may ask the person each time. */
export interface Wallet extends TextSigner {
  /** The transaction (base64) with its signature. It may have added instructions for fees. */
  signTransaction(transaction: string): Promise<string>;
}

export interface RoundupOptions {
  /** Where the service answers, e.g. `https://roundup.example`. */
  baseUrl: string;
  /**
   * What its texts must name, else nothing is signed: the deployment's origin, or `sandbox`, where money is play money.
   * The origin of `baseUrl` unless told otherwise.
   */
  origin?: string;
  wallet: Wallet;
  /**
   * Keeps unfinished payments and confirmed prices. The default is memory, which forgets them with the program: a price of
   * the service is then the first one after each start, and only the bounds of this package hold it.
   */
  storage?: Storage;
  /** Of all programs that share the storage; of this process unless told otherwise. */
  lock?: Lock;
  /** Confirms prices that moved too far. A payment at a price that neither this nor `acceptPrices` confirms is refused. */
  priceSource?: PriceSource;
  /** Asks a person about prices that moved too far. It must not answer in a person's place. */
  acceptPrices?: AcceptPrices;
  fetch?: Fetch;
  clock?: Clock;
  /** How often a call that met the limit or lost its connection is made again; default 3. */
  retries?: number;
}

export interface Roundup extends Reads {
  /** Address of the service wallet; the wallet is asked to sign in and, once, to derive it. @throws {ApiError} */
  serviceWallet(): Promise<string>;
  /** Saves the change of at most 500 purchases. Nothing is signed before `confirm` has seen it; nothing is paid twice. @throws {RangeError} on more */
  save(request: SaveRequest, confirm: Confirm<SaveBuild>): Promise<Result<SavingRecord, SaveBuild>>;
  /** Saves an amount instead of change: once, or one of every `period`. */
  topup(request: TopupRequest, confirm: Confirm<SaveBuild>): Promise<Result<SavingRecord, SaveBuild>>;
  /** Turns what is saved into assets. */
  invest(request: InvestRequest, confirm: Confirm<SwapBuild>): Promise<Result<PurchaseRecord, SwapBuild>>;
  /** Turns an asset back into SOL or USDC, in the service wallet. */
  sell(request: SellRequest, confirm: Confirm<SaleBuild>): Promise<Result<SaleRecord, SaleBuild>>;
  /** Takes savings out of the service wallet. */
  withdraw(request: WithdrawRequest, confirm: Confirm<WithdrawBuild>): Promise<Result<WithdrawalRecord, WithdrawBuild>>;
  /** The prices that were confirmed with this storage; payments are held against them. */
  priceGuard: PriceGuard;
  /** Every operation of the API, signed in. */
  calls(): Promise<Calls>;
  /** Forgets the sign-in and the service key. */
  signOut(): void;
}

/** @throws {RangeError} when `origin` is neither an origin nor `sandbox` */
export function createRoundup(options: RoundupOptions): Roundup {
  const { wallet, baseUrl, storage = memoryStorage(), lock = processLock() } = options;
  const { fetch = systemFetch, clock = systemClock, retries = 3 } = options;
  const deployment = deploymentOf(options.origin ?? new URL(baseUrl).origin);
  const session = createSession(wallet, deployment, (credentials) =>
    createCalls({ baseUrl, fetch, clock, retries, credentials: () => credentials }),
  );
  const network = networkOf(deployment);
  const prices = createPriceGuard({ storage, clock, network, source: options.priceSource });
  const worldOf = async <D>(openSigner: World<D>["openSigner"]): Promise<World<D>> => ({
    // Relaying repeats by itself, and knows what a repetition means.
    calls: await session.calls(),
    clock,
    storage,
    lock,
    prices,
    acceptPrices: options.acceptPrices,
    openSigner,
    landed: () => {},
  });
  const byWallet = async () => (transaction: string) => wallet.signTransaction(transaction);
  const byService = async () => {
    const keys = await session.serviceKeys();
    return async (transaction: string) => signWithKey(transaction, keys);
  };
  return {
    ...readsOf(wallet.address, session),
    priceGuard: prices,
    serviceWallet: session.serviceWallet,
    calls: session.calls,
    signOut: session.signOut,
    save: async (request, confirm) => {
      // In parts it goes on where it stopped only as long as that is remembered, which a caller's storage may not.
      if (request.purchases.length > BATCH_SIZE.max)
        throw new RangeError(`At most ${BATCH_SIZE.max} purchases are saved at once.`);
      return drive(
        saveSpec(wallet.address, await session.serviceWallet(), network),
        await worldOf(byWallet),
        request,
        confirm,
      );
    },
    topup: async (request, confirm) =>
      drive(
        topupSpec(wallet.address, await session.serviceWallet(), network),
        await worldOf(byWallet),
        request,
        confirm,
      ),
    invest: async (request, confirm) =>
      drive(investSpec(await session.serviceWallet(), network), await worldOf(byService), request, confirm),
    sell: async (request, confirm) =>
      drive(sellSpec(await session.serviceWallet(), network), await worldOf(byService), request, confirm),
    withdraw: async (request, confirm) =>
      drive(withdrawSpec(await session.serviceWallet(), network), await worldOf(byService), request, confirm),
  };
}

/** One sign-in and one derivation, however many callers wait for them. */
function createSession(wallet: Wallet, deployment: string, callsOf: (credentials: Credentials | null) => Calls) {
  let signedIn: Promise<Credentials> | null = null;
  let derived: Promise<KeyPair> | null = null;
  const credentials = () => {
    signedIn ??= signIn(callsOf(null), wallet, deployment);
    signedIn.catch(() => {
      signedIn = null;
    });
    return signedIn;
  };
  const calls = async () => callsOf(await credentials());
  const serviceKeys = () => {
    derived ??= calls()
      .then((own) => createServiceWallet(own, wallet, { deployment }))
      .then(({ keys }) => keys);
    derived.catch(() => {
      derived = null;
    });
    return derived;
  };
  return {
    calls,
    credentials,
    serviceKeys,
    serviceWallet: async () => bs58.encode((await serviceKeys()).publicKey),
    signOut() {
      void derived?.then(({ secretKey }) => secretKey.fill(0)).catch(() => {});
      signedIn = null;
      derived = null;
    },
  };
}
