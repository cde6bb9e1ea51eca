import type { VersionedMessage } from "@solana/web3.js";

/* The interface of the local chain, for its JSON-RPC server and the market. Addresses and signatures are base58. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A cluster's TransactionError as JSON: "BlockhashNotFound", { InstructionError: [0, { Custom: 1 }] }, … */
export type TransactionError = string | { [name: string]: Json };

const COMMITMENTS = ["processed", "confirmed", "finalized"] as const;
export type Commitment = (typeof COMMITMENTS)[number];

/**
 * Slots until a block reaches each commitment. Source of `finalized`: MAX_LOCKOUT_HISTORY + 1, solana-vote-interface.
 */
export const AGE_SLOTS: Record<Commitment, number> = { processed: 0, confirmed: 1, finalized: 32 };

/** Returns whether `actualCommitment` satisfies a request for `requestedCommitment`. */
export function hasReachedCommitment(actualCommitment: Commitment, requestedCommitment: Commitment): boolean {
  return COMMITMENTS.indexOf(actualCommitment) >= COMMITMENTS.indexOf(requestedCommitment);
}

/**
 * The ways to charge fees. `flat` charges each signature. The others are the three steps of SIMD-0553: one inclusion fee
 * per transaction, and 1/10, 1/4 or 1/2 lamport per requested cost unit.
 */
export const FEE_MODELS = ["flat", "resource-10", "resource-4", "resource-2"] as const;
export type FeeModel = (typeof FEE_MODELS)[number];

/** Returns whether the text names a fee model. */
export const isFeeModel = (text: unknown): text is FeeModel => FEE_MODELS.includes(text as FeeModel);

/** Error codes of a cluster's RPC. Source: JSON-RPC 2.0 and agave rpc-client-api/src/custom_error.rs. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  blockCleanedUp: -32001,
  blockNotAvailable: -32004,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
} as const;

/** An error in the format of a cluster's RPC. `data` is the error's data member. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
    this.name = "RpcError";
  }
}

/** Refuses a parameter. @throws RpcError -32602, always */
export function refuseParams(message: string): never {
  throw new RpcError(RPC_CODES.invalidParams, message);
}

export interface ChainAccount {
  lamports: bigint;
  /** Owning program, base58. */
  owner: string;
  data: Uint8Array;
  executable: boolean;
}

export interface SimulateOptions {
  /** Verifies the signatures first. A bad signature is the error "SignatureFailure". Default false. */
  sigVerify?: boolean;
  /** Runs with the latest blockhash instead of the transaction's own. Excludes sigVerify. Default false. */
  replaceRecentBlockhash?: boolean;
  /** Addresses whose state after the run is returned. Default: none. */
  accounts?: string[];
}

/** The outcome of a simulation. */
export interface SimulationResult {
  /** Null when the transaction would succeed. */
  err: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
  /** The fee that the transaction would be charged, lamports; null when it would be refused without a charge. */
  fee: bigint | null;
  /** One per requested address, in order; null for a missing account. All are null when the run failed. */
  accounts: (ChainAccount | null)[] | null;
  innerInstructions: InnerInstructions[];
  /** Account keys that the indexes in innerInstructions refer to. Balances use the same order. */
  accountKeys: string[];
  loadedAddresses: TransactionRecord["loadedAddresses"];
  /** Bytes of the loaded accounts, as the limit of the compute budget counts them. */
  loadedAccountsDataSize: number;
  /** Null when the transaction would be refused without a charge. */
  balances: Balances | null;
  returnData: ReturnData | null;
  /** Present when replaceRecentBlockhash was requested. */
  replacementBlockhash?: { blockhash: string; lastValidBlockHeight: number };
}

// Types, not interfaces, so that they count as Json.
type ReturnData = { programId: string; data: [text: string, encoding: "base64"] };

export type InnerInstructions = {
  /** Index of the outer instruction, from 0. */
  index: number;
  /** `data` is base58, as in RPC answers. `accounts` are indexes into the transaction's account keys. */
  instructions: { programIdIndex: number; accounts: number[]; data: string; stackHeight: number }[];
};

export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  /** Base units as decimal digits. */
  amount: string;
  decimals: number;
}

/** The balances of a transaction's accounts before and after it, lamports and tokens. */
export interface Balances {
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
}

/** A transaction that the chain has included. Balances are in the order of `accountKeys`. */
export interface TransactionRecord extends Balances {
  signature: string;
  /** Wire bytes, base64. */
  raw: string;
  slot: number;
  /** Seconds since the epoch. */
  blockTime: number;
  err: TransactionError | null;
  /** Lamports. */
  fee: number;
  unitsConsumed: number;
  logs: string[];
  innerInstructions: InnerInstructions[];
  /** Static keys, then loaded writable ones, then loaded readonly ones. */
  accountKeys: string[];
  loadedAddresses: { writable: string[]; readonly: string[] };
  returnData: ReturnData | null;
  /** Memo in the format of getSignaturesForAddress: "[length] text; …". */
  memo: string | null;
}

/** The part of a record that status queries and address queries need. */
export type SignatureInfo = Pick<TransactionRecord, "signature" | "slot" | "blockTime" | "err" | "memo">;

/** A block. Every slot has one. */
export interface Block {
  blockhash: string;
  previousBlockhash: string;
  blockHeight: number;
  /** Seconds since the epoch. */
  blockTime: number;
  /** In the order of their execution. */
  transactions: TransactionRecord[];
}

export interface SignaturePage {
  /** Maximum number of entries, newest first. */
  limit: number;
  /** Lists only transactions older than the one with this signature. */
  before?: string;
  /** Lists only transactions newer than the one with this signature. */
  until?: string;
  /** Omits transactions below this commitment. Default "processed", which includes all. */
  commitment?: Commitment;
}

/** A chain, as one node sees it. */
export interface Chain {
  /** Returns the current account; null when it does not exist. An account without lamports does not exist. */
  getAccount(address: string): ChainAccount | null;
  /**
   * Writes an account without runtime checks, to seed mints and inventory. 0 lamports deletes it.
   * @throws RpcError -32602 for a malformed address, or one the runtime owns (programs, sysvars)
   */
  setAccount(address: string, account: { lamports: bigint; owner: string; data: Uint8Array }): void;
  /** Returns the rent-exempt minimum in lamports of an account with this many data bytes. */
  computeRentExemptMinimum(bytes: number): bigint;
  /** Returns the fee in lamports that a transaction with this message is charged now. */
  computeFee(message: VersionedMessage): bigint;
  /** Changes how transactions are charged from now on, for tests. A restart returns to the setting. */
  setFeeModel(model: FeeModel): void;
  /**
   * Changes the rent-exempt minimums from now on, for tests. Accounts keep their lamports. A restart returns to 5,080.
   * @param lamportsPerByte lamports for each byte of an account, of which 128 are added to its data
   */
  setRent(lamportsPerByte: bigint): void;
  getLatestBlockhash(): { blockhash: string; lastValidBlockHeight: number };
  /** Returns true for 150 slots after the blockhash's own slot. */
  isBlockhashValid(blockhash: string): boolean;
  getSlot(): number;
  /** Returns the block height. It differs from the slot, as on a cluster. */
  getBlockHeight(): number;
  /** Returns the genesis hash, base58. Every new chain has a different one. */
  getGenesisHash(): string;
  countTransactions(): number;
  /** Simulates a transaction. @throws RpcError -32602 for invalid bytes */
  simulate(wireBytes: Uint8Array, options?: SimulateOptions): SimulationResult;
  /**
   * Runs a signed transaction and records it. As on a cluster with `skipPreflight`, a transaction that cannot be
   * included (bad signature, old blockhash, unfunded payer, already processed) is dropped silently. A transaction that
   * fails while it runs is included and pays its fee.
   * @returns the transaction's signature
   * @throws RpcError -32602 undecodable, -32002 preflight failed (with logs)
   */
  send(wireBytes: Uint8Array, options?: { skipPreflight?: boolean }): string;
  /**
   * Sends lamports from the chain's faucet in a real transaction.
   * @returns the transaction's signature
   * @throws RpcError -32602 for a bad address or amount, -32002 when the account would have less than the rent minimum
   */
  airdrop(address: string, lamports: bigint): string;
  /**
   * Adds a month of payments from a wallet to shops, without the wallet's signature.
   * @returns the number of payments; 0 when the wallet already has a history
   * @throws RpcError -32602 for a malformed address, or when `wallet` is another kind of account
   */
  addPastPayments(wallet: string, shops: readonly string[]): number;
  /** Time travel for tests: advances slots and blockhashes by `slots`. The wall clock does not change. */
  advanceSlots(slots: number): void;
  /** Lists a wallet's token accounts of both token programs, in order of creation. */
  listTokenAccounts(owner: string): string[];
  /** Returns null for a transaction that was not included, or is no longer in the history. */
  findSignature(signature: string): SignatureInfo | null;
  findTransaction(signature: string): TransactionRecord | null;
  /** Returns the block of a slot that has begun. */
  readBlock(slot: number): Block;
  /** Lists the existing accounts that a program owns. */
  listProgramAccounts(programId: string): { address: string; account: ChainAccount }[];
  /** Returns the lamports of all accounts. */
  sumLamports(): bigint;
  /** Lists an address's transactions, newest first. */
  listSignatures(address: string, page: SignaturePage): SignatureInfo[];
  /**
   * Returns `processed` in the transaction's own slot, `confirmed` from the next slot, and `finalized` 32 slots after its
   * own. A transaction that is not yet stored stays `processed`.
   */
  findCommitment(info: { slot: number }): Commitment;
  /** Returns the view of a node that lags by 0 to MAX_LAG_SLOTS slots. Transactions sent to it arrive at once. */
  createLaggingView(lagSlots: number): Chain;
  /** Calls the listener after each included transaction, failed ones too. @returns a function that unsubscribes */
  onSignature(listener: (info: SignatureInfo) => void): () => void;
}

/** The part of the local market that the HTTP server uses. */
export interface MarketHandler {
  /** Answers GET /swap/v2/build and GET /price/v3 in Jupiter's format. Errors are `{ error }`. Never rejects. */
  handle(url: URL): Promise<{ status: number; body: unknown }>;
}
