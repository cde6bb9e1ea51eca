import type { TransactionFigures, UnsupportedTransaction } from "../domain/activity";
import type { AccountState, TokenHolding } from "../domain/chain-accounts";
import type { ChainHead, SlotTime } from "../domain/expiry";
import type { Json } from "./json";

/** An account, a whole list or a count (`account: null`) that a list of holdings leaves out, and why. */
export type LeftOutEntry = { account: string | null; reason: string };

export interface TokenHoldings {
  holdings: TokenHolding[];
  leftOut: LeftOutEntry[];
}

export interface BlockhashInfo {
  blockhash: string;
  lastValidBlockHeight: number;
  /** The slot at which this blockhash was the node's newest. */
  slot: number;
}

/** One node's view of some accounts at this slot: one per address, in order; null where there is no account. */
interface AccountsView {
  slot: number;
  accounts: (AccountState | null)[];
}

export interface SimulationResult {
  /** The runtime's error as JSON, null when the transaction would succeed. */
  error: Json;
  unitsConsumed: number | null;
  /** What the network charges. Null when the node does not report it. */
  feeLamports: bigint | null;
  slot: number;
  /** The requested accounts as the transaction leaves them, in order. Absent if none were or if it would fail. */
  accounts?: (AccountState | null)[];
}

export interface SignatureState {
  slot: number;
  /** The runtime's error as JSON, null when the transaction succeeded. */
  error: Json;
  confirmation: "processed" | "confirmed" | "finalized";
}

/** One node's view of some signatures at this slot: one per signature, in order; null for an unknown signature. */
export interface SignatureStates {
  slot: number;
  states: (SignatureState | null)[];
}

export interface HistoryEntry {
  signature: string;
  slot: number;
  /** Seconds since the epoch; null when the node does not know. */
  blockTime: number | null;
  /** The runtime's error as JSON, null when the transaction succeeded. */
  error: Json;
  /** The memos' texts as the node reports them, unproven: "[length] text; …". Null for a transaction without memos. */
  memo: string | null;
}

/**
 * A page of history: `limit` entries (1 to 1,000), older than `before` and newer than `until`. With an unknown
 * `before` a node returns nothing; it ignores an unknown `until`.
 */
export interface HistoryPageRequest {
  limit: number;
  before?: string;
  until?: string;
  /** Requires a node that has reached this slot and the newest known one. The page is then not cached. */
  minSlot?: number;
  /**
   * Allows a page read in the last 30 seconds, even one older than `minSlot`, if the address's balances have not
   * changed since 10 seconds before that read. The balances are read together with those of a portfolio.
   */
  mayUseCacheIfUnchanged?: boolean;
  /**
   * What the caller has just read of the address, as a text that changes with each transaction that matters. Allows a
   * page read in the last ten minutes as `mayUseCacheIfUnchanged` does, with this text instead of the balances.
   */
  unchangedState?: string;
}

/**
 * Reads the chain at commitment `confirmed`, and sends transactions. Calls have a time limit. They are retried when that
 * may help, on another node if there is one.
 */
export interface SolanaRpc {
  /**
   * Reads accounts. Returns one entry per address, in order; null where there is no account.
   * @param addresses at most 100
   * @param options.firstBytes reads at most this many bytes of each account's data, because some hold megabytes
   * @param options.waitsForBatch waits 20 ms for reads of other requests, and reads the first 165 bytes of each account
   */
  readAccounts(
    addresses: string[],
    options?: { firstBytes?: number; waitsForBatch?: boolean },
  ): Promise<(AccountState | null)[]>;
  /** Reads the first 165 bytes of at most 100 accounts from a node that has reached `minSlot`. Not cached. */
  readAccountsAt(addresses: string[], minSlot: number): Promise<AccountsView>;
  /**
   * Reads the token accounts of both token programs, including those with a zero balance.
   * @param options.mayLackNewAccounts allows an answer without token accounts that were opened in the last two
   * minutes. The associated token accounts of the supported assets are never missing.
   */
  readTokenHoldings(owner: string, options?: { mayLackNewAccounts?: boolean }): Promise<TokenHoldings>;
  /** Returns the rent-exempt minimum of an account with this much data, in lamports. */
  readRentExemptMinimum(bytes: number): Promise<bigint>;
  readLatestBlockhash(): Promise<BlockhashInfo>;
  /** Returns the unit prices (micro-lamports) that got into the last blocks with writes to these accounts. Not cached. */
  readUnitPrices(accounts: string[]): Promise<bigint[]>;
  /** Returns what the network charges for a message, lamports; null when no node names a fee that can be right. */
  readFee(message: Uint8Array): Promise<bigint | null>;
  isBlockhashValid(blockhash: string): Promise<boolean>;
  readBlockHeight(): Promise<number>;
  /** Reads both at one moment. @throws AppError upstream_invalid when a node returns the slot as the height */
  readHead(): Promise<ChainHead>;
  /**
   * Simulates a transaction. Without `verifySignatures` its blockhash is replaced by the newest one.
   * @param options.accounts addresses of the accounts to return as the transaction leaves them
   * @throws AppError simulation_failed when the node rejects the transaction without simulating it
   */
  simulate(
    transaction: Uint8Array,
    options: { verifySignatures: boolean; accounts?: string[] },
  ): Promise<SimulationResult>;
  /**
   * Sends a transaction without preflight. Resolves once a node has accepted the transaction, even if it is on the chain
   * already. With a send limit, callers take turns. Of the transactions of one caller, those sent less often go first,
   * then those that expire first.
   * @param lastValidBlockHeight orders transactions that were sent equally often; those without it go last
   * @param shouldSend called before a queued send; false drops the transaction
   */
  send(transaction: Uint8Array, lastValidBlockHeight?: number, shouldSend?: () => boolean): Promise<void>;
  /** Estimates how long the first send of a transaction would wait, ms. */
  estimateSendMs(lastValidBlockHeight: number): number;
  /** Returns the newest slot and the slot time, as measured from all answers so far. Makes no call. */
  getSlotTime(): SlotTime;
  /** Looks up at most 256 signatures. @param searchHistory also searches beyond the node's recent cache */
  readSignatureStates(signatures: string[], searchHistory: boolean): Promise<SignatureStates>;
  /** Returns transactions that name the address, newest first. */
  readSignatures(address: string, page: HistoryPageRequest): Promise<HistoryEntry[]>;
  /**
   * Returns the figures of a confirmed transaction; null when no node has the transaction with its balances. Nodes may
   * have it later.
   */
  readTransaction(signature: string): Promise<TransactionFigures | UnsupportedTransaction | null>;
  /** Drops cached reads of these addresses. Call it after a relayed transaction has changed them. */
  invalidate(addresses: string[]): void;
}
