import type { TransactionFigures } from "../domain/activity";
import type { ChainHead } from "../domain/expiry";
import type { AccountState, TokenHolding } from "../domain/holdings";
import type { Json } from "./json";

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
