/** What the local chain offers to its JSON-RPC server and to the local market. Addresses and signatures are base58. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A cluster's TransactionError in its JSON form: "BlockhashNotFound", { InstructionError: [0, { Custom: 1 }] }, … */
export type TransactionError = string | { [name: string]: Json };

const COMMITMENTS = ["processed", "confirmed", "finalized"] as const;
export type Commitment = (typeof COMMITMENTS)[number];

/** Slots until a block reaches a commitment; the last from MAX_LOCKOUT_HISTORY + 1, solana-vote-interface. */
export const AGE_SLOTS: Record<Commitment, number> = { processed: 0, confirmed: 1, finalized: 32 };

/** Whether what has reached `actual` is good enough for one who asks for `wanted`. */
export function hasReached(actual: Commitment, wanted: Commitment): boolean {
  return COMMITMENTS.indexOf(actual) >= COMMITMENTS.indexOf(wanted);
}

/** Codes a cluster's RPC answers with. Source: JSON-RPC 2.0 and agave rpc-client-api/src/custom_error.rs. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  signatureVerificationFailure: -32003,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
} as const;

/** A refusal as the RPC of a cluster would answer it; `data` is the error's data member. */
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

export interface ChainAccount {
  lamports: bigint;
  /** Owning program, base58. */
  owner: string;
  data: Uint8Array;
  executable: boolean;
}

export interface SimulateOptions {
  /** Check the signatures first; a bad one throws RpcError -32003. Default false. */
  sigVerify?: boolean;
  /** Run with the latest blockhash in place of the transaction's own. Excludes sigVerify. Default false. */
  replaceRecentBlockhash?: boolean;
  /** Addresses whose state after the run is wanted. */
  accounts?: string[];
}

export interface SimResult {
  /** null when it would succeed. */
  err: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
  /** One per requested address, in order; null where there is no account; all null when the run failed. */
  accounts: (ChainAccount | null)[] | null;
  innerInstructions: InnerInstructions[];
  /** What the indexes of innerInstructions point into. */
  accountKeys: string[];
  returnData: { programId: string; data: Uint8Array } | null;
  /** Present when replaceRecentBlockhash was asked for. */
  replacementBlockhash?: { blockhash: string; lastValidBlockHeight: number };
}

export interface InnerInstructions {
  /** Of the outer instruction, from 0. */
  index: number;
  /** `data` is base58, as RPC answers it; `accounts` are indexes into the transaction's account keys. */
  instructions: { programIdIndex: number; accounts: number[]; data: string; stackHeight: number }[];
}

export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  /** Base units, decimal digits. */
  amount: string;
  decimals: number;
}

export interface TransactionRecord {
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
  /** Static keys, then loaded writable ones, then loaded readonly ones; balances are in this order. */
  accountKeys: string[];
  loadedAddresses: { writable: string[]; readonly: string[] };
  /** Lamports. */
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  returnData: { programId: string; data: string } | null;
  /** As getSignaturesForAddress shows it: "[length] text; …". */
  memo: string | null;
}

/** The part of a record that status and address queries need. */
export interface SignatureInfo {
  signature: string;
  slot: number;
  blockTime: number;
  err: TransactionError | null;
  memo: string | null;
}

export interface SignaturePage {
  /** Newest first; at most this many. */
  limit: number;
  /** Start after (older than) this signature. */
  before?: string;
  /** Stop before this signature. */
  until?: string;
  /** Leave out what has not reached this yet. Default "processed": everything. */
  commitment?: Commitment;
}

export interface Chain {
  /** The account as it is now; null when there is none (an account without lamports does not exist). */
  account(address: string): ChainAccount | null;
  /**
   * Writes an account, past all runtime checks: for seeding mints and inventory. 0 lamports deletes it.
   * @throws RpcError -32602 for a malformed address, or one the runtime owns (programs, sysvars)
   */
  setAccount(address: string, account: { lamports: bigint; owner: string; data: Uint8Array }): void;
  /** Lamports an account of this many data bytes must hold. */
  rentExemptMinimum(bytes: number): bigint;
  latestBlockhash(): { blockhash: string; lastValidBlockHeight: number };
  /** True for 150 slots after the hash's own slot. */
  isBlockhashValid(blockhash: string): boolean;
  /** Block height until which this hash is usable; null when it is unknown or has expired. */
  lastValidBlockHeight(blockhash: string): number | null;
  slot(): number;
  /** Never equal to slot(), as on a cluster. */
  blockHeight(): number;
  /** Base58; changes with every new chain. */
  genesisHash(): string;
  transactionCount(): number;
  /** @throws RpcError -32602 for bytes that are no transaction, -32003 see SimulateOptions */
  simulate(raw: Uint8Array, options?: SimulateOptions): SimResult;
  /**
   * Runs a signed transaction and records it. As on a cluster, with `skipPreflight` a transaction that cannot be
   * included (bad signature, old blockhash, unfunded payer, already processed) is dropped without a word, and one
   * that fails while running is included and pays its fee.
   * @returns its signature
   * @throws RpcError -32602 undecodable, -32002 preflight failed (with logs), -32003 bad signature
   */
  send(raw: Uint8Array, options?: { skipPreflight?: boolean }): string;
  /**
   * Lamports from the chain's faucet, by a real transaction.
   * @throws RpcError -32602 for a bad address or amount, -32002 when it would leave less than the rent-exempt minimum
   */
  airdrop(address: string, lamports: bigint): string;
  /**
   * Lets a wallet have paid shops over the last month, without its signature.
   * @returns how many payments @throws RpcError -32602 for a bad address
   */
  addPastPayments(wallet: string, shops: readonly string[]): number;
  /** Time travel for tests: slots and blockhashes move on by `slots`; the wall clock does not. */
  advanceSlots(slots: number): void;
  /** Addresses of the token accounts of one wallet, both token programs, in order of creation. */
  tokenAccountsOf(owner: string): string[];
  signatureInfo(signature: string): SignatureInfo | null;
  transaction(signature: string): TransactionRecord | null;
  signaturesFor(address: string, page: SignaturePage): SignatureInfo[];
  /** Processed in its own slot, confirmed in the next, finalized 32 slots later. */
  commitmentOf(info: { slot: number }): Commitment;
  /** The same chain as a node sees it that is this many slots behind (0 to MAX_LAG_SLOTS); what it sends arrives at once. */
  behind(lagSlots: number): Chain;
  /** Called after each included transaction, failed ones too. @returns unsubscribe */
  onSignature(listener: (info: SignatureInfo) => void): () => void;
}

/** What the HTTP server needs of the local market. */
export interface MarketHandler {
  /** Answers GET /swap/v2/build and GET /price/v3 in Jupiter's shapes. */
  handle(url: URL): Promise<{ status: number; body: unknown }>;
}
