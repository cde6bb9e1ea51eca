import type { TransactionFigures } from "./domain/activity";
import type { AssetSymbol } from "./domain/assets";
import type { ChainHead } from "./domain/expiry";
import type { AccountState, TokenHolding } from "./domain/holdings";
import type { Pause } from "./domain/pause";
import type { PriceBounds } from "./domain/prices/price-bounds";
import type { PricePoint } from "./domain/prices/price-history";
import type { Prices } from "./domain/prices/prices";
import type { SwapPlan, SwapRequest } from "./domain/swap/swap-plan";

export type { RateDecision, RateLimiter } from "./clients/store/rate-window";
export type { TransactionFigures } from "./domain/activity";
export type { AccountState, TokenHolding } from "./domain/holdings";
export type { Prices, SecondSource } from "./domain/prices/prices";
export type { SwapPlan, SwapRequest, WireInstruction } from "./domain/swap/swap-plan";

/** What the services need of the world. Every failure of a port is an AppError of the upstream_* family. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
}

export interface Random {
  bytes(length: number): Uint8Array;
}

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Keys are printable ASCII up to 512 characters; a value is any JSON. Each method is atomic by itself. */
export interface KvStore {
  get<T extends Json>(key: string): Promise<T | null>;
  /** One answer per key, in order. */
  getMany<T extends Json>(keys: string[]): Promise<(T | null)[]>;
  /** @param ttlMs the entry is gone after this long; absent: it stays */
  set(key: string, value: Json, ttlMs?: number): Promise<void>;
  /** @returns whether this call was the one that wrote it (an expired entry counts as absent) */
  setIfAbsent(key: string, value: Json, ttlMs?: number): Promise<boolean>;
  /**
   * Writes `value` if what lies there is exactly `expected`, as a get answered it; null, of either: nothing lies there.
   * @param ttlMs the entry is gone after this long; absent: it stays
   * @returns whether it did
   */
  replace(key: string, expected: Json, value: Json, ttlMs?: number): Promise<boolean>;
  /** @returns whether there was a live entry to delete */
  delete(key: string): Promise<boolean>;
  /** Adds to an integer counter that starts at 0; `ttlMs` counts from the counter's first write. @returns the new value */
  increment(key: string, by: number, ttlMs?: number): Promise<number>;
  /** Resolves when the store has taken a write. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface PriceFeed {
  /**
   * The newest prices known: at most 30 s old, or up to 5 minutes when the source fails.
   * @throws AppError upstream_* or price_stale when there is nothing usable
   */
  current(): Promise<Prices>;
  /** US dollars for one coin of any mints; null for one that has no price; absent where that is not known now. */
  ofMints(mints: string[]): Promise<Record<string, number | null>>;
}

/** One reading a day (UTC), at whatever moment it was. Both throw AppError upstream_* when it cannot be read. */
export interface PriceHistory {
  /** Readings of the last `days` days, oldest first; where they are from, null when there are none. */
  series(asset: AssetSymbol, days: number): Promise<{ points: PricePoint[]; source: string | null }>;
  /** US dollars for one coin by the reading nearest to `time` (ms since the epoch); null without one within a day of it. */
  at(asset: AssetSymbol, time: number): Promise<number | null>;
}

export interface SwapAggregator {
  /** @throws AppError no_route when the venue has no way to swap this */
  plan(request: SwapRequest): Promise<SwapPlan>;
}

/** Tokens that could not be read, while everything else could. */
export type LeftOut = {
  /** Token account address; null: a whole list of them. */
  account: string | null;
  reason: string;
};

export interface TokenHoldings {
  holdings: TokenHolding[];
  leftOut: LeftOut[];
}

export interface BlockhashInfo {
  blockhash: string;
  lastValidBlockHeight: number;
  /** Of the node's view whose newest blockhash this was; absent where it comes from somebody else. */
  slot?: number;
}

export interface SimulationResult {
  /** The runtime's error as JSON, null when it would succeed. */
  error: Json;
  logs: string[];
  unitsConsumed: number | null;
  /** Of the view it ran on. */
  slot: number;
  /** Those asked for, in order, as they are afterwards; absent when none were, or it failed. */
  accounts?: (AccountState | null)[];
}

export interface SignatureState {
  slot: number;
  /** The runtime's error as JSON, null when it succeeded. */
  error: Json;
  confirmation: "processed" | "confirmed" | "finalized";
}

/** What one node knows of some signatures at one moment. */
export interface SignatureStates {
  /** Of the node's view. */
  slot: number;
  /** One per signature, in order; null where it is unknown. */
  states: (SignatureState | null)[];
}

/** A transaction in an address's history. */
export interface HistoryEntry {
  signature: string;
  slot: number;
  /** Seconds since the epoch; null when the node does not know. */
  blockTime: number | null;
  /** The runtime's error as JSON, null when it succeeded. */
  error: Json;
  /** Texts of its memos as the node tells them, unproven: "[length] text; …". */
  memo: string | null;
}

/** `limit` is 1 to 1,000; older than `before`, newer than `until`. A node answers nothing below an unknown `before`, and ignores an unknown `until`. */
export interface HistoryPage {
  limit: number;
  before?: string;
  until?: string;
  /** The node has reached this slot and the newest one seen in any answer; the page is not cached. */
  minSlot?: number;
}

/** Reads are at commitment `confirmed`, bounded in time, and asked of another node, or once more, where that may help. */
export interface SolanaRpc {
  /**
   * One answer per address, in order; null where there is no account. At most 100.
   * @param options.firstBytes of the data, so many bytes at most: some accounts hold megabytes
   */
  accounts(addresses: string[], options?: { firstBytes?: number }): Promise<(AccountState | null)[]>;
  /** Of both token programs, zero balances included. */
  tokenHoldings(owner: string): Promise<TokenHoldings>;
  rentExemptMinimum(bytes: number): Promise<bigint>;
  latestBlockhash(): Promise<BlockhashInfo>;
  /** Micro-lamports for a compute unit that got into each of the last blocks beside writes to these accounts; not cached. */
  recentUnitPrices(accounts: string[]): Promise<bigint[]>;
  isBlockhashValid(blockhash: string): Promise<boolean>;
  blockHeight(): Promise<number>;
  /** Slot and height of one moment; a node that gives the slot for the height fails with upstream_invalid. */
  head(): Promise<ChainHead>;
  /** @param options.accounts to be returned as they are afterwards; without signatures, the newest blockhash takes the place of its own */
  simulate(
    transaction: Uint8Array,
    options: { verifySignatures: boolean; accounts?: string[] },
  ): Promise<SimulationResult>;
  /**
   * Sends without preflight, what expires first before others. @returns once a node has taken it; never throws for one it already has
   * @param isWanted asked when its turn comes: what is not is dropped
   */
  send(transaction: Uint8Array, lastValidBlockHeight?: number, isWanted?: () => boolean): Promise<void>;
  /** @param signatures at most 256 @param searchHistory looks beyond the node's recent cache */
  signatureStates(signatures: string[], searchHistory: boolean): Promise<SignatureStates>;
  /** Transactions that name the address, newest first; empty when there are none, or none before `before`. */
  signaturesOf(address: string, page: HistoryPage): Promise<HistoryEntry[]>;
  /** What a confirmed transaction did to balances; null when the node does not have it (any more). */
  transaction(signature: string): Promise<TransactionFigures | null>;
  /** Forget cached reads of these addresses: something we relayed has changed them. */
  invalidate(addresses: string[]): void;
}

/** What is worth offering beside the base fee. */
export interface PriorityFees {
  /** Micro-lamports for a compute unit, to write to these accounts soon; 0 where nobody can say. */
  unitPrice(accounts: string[]): Promise<bigint>;
}

export type UpstreamFaultKind = "busy" | "invalid" | "key_refused" | "lagging" | "timeout" | "unavailable";

/** How somebody outside of this process has answered of late. */
export interface UpstreamReport {
  /** Nodes by their use and position, never by their address. */
  name: string;
  state: "up" | "busy" | "failing" | "lagging" | "unchecked" | "wrong network";
  /** Of a node, behind the newest slot seen; null where it is none or has shown none. */
  lagSlots: number | null;
  /** Ms since the epoch; null before the first answer. */
  answeredAt: number | null;
  lastFault: UpstreamFaultKind | null;
}

/** One look at a signature, shared with everybody who waited for one. */
export interface SignatureLook {
  state: SignatureState | null;
  /** Of the view it was looked up in. */
  slot: number;
  /** Of the same moment, with a look into the history only; null when no node could be believed. */
  head: ChainHead | null;
}

/** Looks at the signatures of all relays in flight: one call at a moment, however many wait. It rests when nobody does. */
export interface SignatureWatch {
  /**
   * The next look at a signature: about `withinMs` from now, earlier when others wait for theirs. Null when it failed.
   * A look into the history is never earlier.
   */
  look(signature: string, options: { searchHistory: boolean; withinMs: number }): Promise<SignatureLook | null>;
  /** Newest slot seen in any answer; 0 before the first. */
  highestSlot(): number;
}

/** Work that outlives the request that began it, where the process lives on. */
export interface Background {
  /**
   * Runs a task under its key, or joins the one that runs. The task asks `mayGoOn` whether it may outlive the request:
   * not when too many do already, nor when the process ends.
   */
  run<T>(key: string, task: (mayGoOn: () => boolean) => Promise<T>): Promise<T>;
  /** Resolves when the last task has ended. */
  close(): Promise<void>;
}

/** Strict Ed25519: canonical encodings only, no small-order keys, S below the group order; and SHA-256. */
export interface Verifier {
  /** @param publicKey 32 bytes @param signature 64 bytes */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /** A wallet's signature over one of the fixed texts, both as they came in; verified pairs are remembered (as keyed hashes). */
  verifyText(wallet: string, text: string, signatureBase64: string): boolean;
  /** SHA-256, hex. */
  digest(bytes: Uint8Array): string;
}

/** As the cluster calls itself. */
export type NetworkName = "sandbox" | "mainnet-beta";

/** The sandbox's own taps; absent on a real network. */
export interface Faucet {
  /** @throws AppError invalid_request when the account would be left under the rent-exempt minimum */
  airdrop(address: string, lamports: bigint): Promise<{ txSignature: string }>;
  /** Lets the wallet have paid shops over the last month, unless it has a past. @returns how many times */
  addHistory(address: string): Promise<number>;
}

/** Everything a service may use of the world. */
export interface Deps {
  network: NetworkName;
  /** What the signed texts name: the origin people know this deployment by, or the sandbox's name. */
  deployment: string;
  /** Public keys, base58, that fees go to. */
  feeCollectors: readonly string[];
  clock: Clock;
  random: Random;
  kv: KvStore;
  /** What the settings pause; null: nothing. */
  pause: Pause | null;
  prices: PriceFeed;
  priceHistory: PriceHistory;
  /** Outside of these a price is none. */
  priceBounds: PriceBounds;
  swaps: SwapAggregator;
  rpc: SolanaRpc;
  /** Null: transactions built here offer none. */
  priorityFees: PriorityFees | null;
  /** The most that a transaction built here offers beside the base fee, the aggregator's swaps included. */
  maxPriorityFeeLamports: bigint;
  /** How everybody who is asked has answered of late. */
  upstreams: () => UpstreamReport[];
  watch: SignatureWatch;
  background: Background;
  verifier: Verifier;
  faucet: Faucet | null;
  /** Whether the process has been told to end: what is under way is finished, and new work belongs elsewhere. */
  isEnding: () => boolean;
}

/** Who calls. `wallet` is null for a static key and on public endpoints. */
export type Caller =
  | { kind: "public"; wallet: null }
  | { kind: "static-key"; wallet: null }
  | { kind: "api-key"; wallet: string; keyId: string }
  | { kind: "wallet"; wallet: string };

/** Besides the caller: what the request's headers name without proving it. */
export interface RequestContext {
  caller: Caller;
  /** The x-wallet header as sent, unproven unless the caller is a wallet. */
  walletHeader: string | null;
  /** Whether a static key of the configuration was sent, wherever credentials are not asked for. */
  isOperator: () => boolean;
}
