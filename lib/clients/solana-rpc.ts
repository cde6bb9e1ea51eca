import { Connection } from "@solana/web3.js";
import bs58 from "bs58";
import { z } from "zod";
import type { ChainHead } from "../domain/expiry";
import { AppError, UpstreamFault } from "../errors";
import type {
  AccountState,
  BlockhashInfo,
  Clock,
  HistoryPage,
  Json,
  SignatureState,
  SignatureStates,
  SimulationResult,
  SolanaRpc,
} from "../ports";
import { mostRent } from "../solana/fees";
import { type Cached, cached } from "./cached";
import { type JsonRpc, transactionFailure } from "./json-rpc";
import type { Nodes } from "./nodes/nodes";
import { readTokenHoldings } from "./token-holdings";
import { readSignatures, readTransaction } from "./transaction-history";

/** One slot: within it the chain, as one node shows it, hardly ever changes. */
const READ_TTL_MS = 400;
/** Rent falls in steps that are announced months ahead. */
const RENT_TTL_MS = 60_000;

/** Transactions remembered: they do not change once confirmed. About 5 KB each. */
export const TRANSACTIONS_KEPT = 2_000;

const MAX_ADDRESSES = 100;
const ACCOUNTS_MAX_BYTES = 4_194_304;
const TRANSACTION_MAX_BYTES = 1_048_576;
const HEAD_MAX_BYTES = 65_536;

const Account = z.object({
  // Not .int(): that refuses balances above 2^53 lamports, and 9 million SOL do exist.
  lamports: z.number().nonnegative().refine(Number.isInteger),
  owner: z.string(),
  data: z.tuple([z.string(), z.literal("base64")]),
  executable: z.boolean(),
});
const Accounts = z.array(Account.nullable());

const AccountsAnswer = z.object({ value: Accounts });

const Slot = z.number().int().nonnegative();
const Context = z.object({ slot: Slot });

const SimulationAnswer = z.object({
  context: Context,
  value: z.object({
    // Listed rather than z.unknown(), so that an answer without it is not taken for success.
    err: z.union([z.null(), z.string(), z.record(z.string(), z.unknown())]),
    logs: z.array(z.string()).nullish(),
    unitsConsumed: z.number().int().nonnegative().nullish(),
    accounts: Accounts.nullish(),
  }),
});

// Not .int(): any unsigned 64-bit price can have been paid.
const UnitPrices = z
  .array(z.object({ prioritizationFee: z.number().nonnegative().refine(Number.isInteger) }))
  .max(1_000);

const HeadAnswer = z.object({ absoluteSlot: Slot, blockHeight: Slot });

export interface SolanaRpcOptions {
  nodes: Pick<Nodes, "rpc" | "send" | "newestSlot">;
  clock: Clock;
}

/**
 * The chain, at commitment `confirmed`, as the nodes show it. Accounts,
 * token holdings, signatures, the head and the blockhash are cached for READ_TTL_MS and the rent minimum for RENT_TTL_MS, with
 * single flight, and the newest TRANSACTIONS_KEPT transactions for good; cached objects are shared, so treat them as read-only. Every failure is an AppError: upstream_*, or simulation_failed
 * where the node will not have the transaction it was given.
 *
 * It stands on web3.js's Connection. Reads of accounts and holdings, which every request may need, post their JSON-RPC
 * themselves: about 0.1 ms of CPU a call against 0.33 ms. So do simulate and send, which must pass the very bytes that were signed
 * and need the error code that Connection drops.
 */
export function createSolanaRpc({ nodes, clock }: SolanaRpcOptions): SolanaRpc {
  const { rpc } = nodes;
  const connection = connect(rpc);
  const caches = createCaches(clock, rpc, connection);

  return {
    async accounts(addresses, { firstBytes } = {}) {
      if (addresses.length > MAX_ADDRESSES) throw new RangeError("at most 100 addresses");
      return addresses.length === 0 ? [] : caches.accounts.get([firstBytes ?? "", ...addresses].join(","));
    },
    tokenHoldings: (owner) => caches.holdings.get(owner),
    rentExemptMinimum: (bytes) => caches.rent.get(String(bytes)),
    latestBlockhash: () => caches.blockhash.get(""),
    recentUnitPrices: (accounts) => unitPrices(rpc, accounts),
    isBlockhashValid: (blockhash) => read(async () => (await connection.isBlockhashValid(blockhash)).value),
    blockHeight: () => read(() => connection.getBlockHeight()),
    head: () => caches.head.get(""),
    simulate: (transaction, options) => simulateCaughtUp({ nodes, clock }, transaction, options),
    send: nodes.send,
    signatureStates: (signatures, searchHistory) => read(() => states(connection, signatures, searchHistory)),
    signaturesOf: (address, { limit, before = "" }) => caches.signatures.get(`${address},${limit},${before}`),
    async transaction(signature) {
      const found = await caches.transactions.get(signature);
      // Missing is not for good: the next node may have it.
      if (!found) caches.transactions.invalidate(signature);
      return found;
    },
    invalidate: (addresses) => forget(caches, addresses),
  };
}

function connect(rpc: JsonRpc): Connection {
  // Its address is not used: `fetch` asks the nodes.
  return new Connection("http://nodes.invalid", {
    commitment: "confirmed",
    fetch: rpc.fetch,
    disableRetryOnRateLimit: true,
    httpAgent: false,
  });
}

type Caches = ReturnType<typeof createCaches>;

function createCaches(clock: Clock, rpc: JsonRpc, connection: Connection) {
  const cache = <T>(ttlMs: number, maxEntries: number, load: (key: string) => Promise<T>): Cached<T> =>
    cached({ ttlMs, maxEntries, clock, load: (key) => read(() => load(key)) });
  return {
    accounts: cache(READ_TTL_MS, 10_000, (key) => readAccounts(rpc, ...accountsOf(key))),
    holdings: cache(READ_TTL_MS, 1_000, (owner) => readTokenHoldings(rpc, owner)),
    signatures: cache(READ_TTL_MS, 1_000, (key) => readSignatures(rpc, ...historyOf(key))),
    transactions: cache(Number.POSITIVE_INFINITY, TRANSACTIONS_KEPT, (signature) => readTransaction(rpc, signature)),
    head: cache(READ_TTL_MS, 1, () => head(rpc)),
    blockhash: cache(READ_TTL_MS, 1, () => latestBlockhash(connection)),
    rent: cache(RENT_TTL_MS, 100, (bytes) => rentExemptMinimum(connection, Number(bytes))),
  };
}

function accountsOf(key: string): [addresses: string[], firstBytes: number | null] {
  const [firstBytes, ...addresses] = key.split(",");
  return [addresses, firstBytes ? Number(firstBytes) : null];
}

function historyOf(key: string): [address: string, page: HistoryPage] {
  const [address = "", limit, before] = key.split(",");
  return [address, { limit: Number(limit), ...(before && { before }) }];
}

function forget(caches: Caches, addresses: string[]): void {
  if (addresses.length === 0) return;
  const changed = new Set(addresses);
  caches.accounts.invalidateWhere((key) => key.split(",").some((address) => changed.has(address)));
  caches.signatures.invalidateWhere((key) => changed.has(key.slice(0, key.indexOf(","))));
  // Which accounts a read in flight will find is not known yet, so it counts as changed.
  caches.holdings.invalidateWhere((owner, found) => {
    return changed.has(owner) || !found || found.holdings.some((holding) => changed.has(holding.account));
  });
}

async function read<T>(attempt: () => Promise<T>): Promise<T> {
  return attempt().catch((error) => {
    throw toAppError(error);
  });
}

/** Connection throws errors of its own where an answer lacks the shape it expects. */
function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : invalid(error);
}

const invalid = (cause: unknown) => new AppError("upstream_invalid", { cause });

async function readAccounts(
  rpc: JsonRpc,
  addresses: string[],
  firstBytes: number | null,
): Promise<(AccountState | null)[]> {
  const slice = firstBytes === null ? {} : { dataSlice: { offset: 0, length: firstBytes } };
  const params = [addresses, { encoding: "base64", commitment: "confirmed", ...slice }];
  const { value } = await rpc.call("getMultipleAccounts", params, AccountsAnswer, { maxBytes: ACCOUNTS_MAX_BYTES });
  if (value.length !== addresses.length) throw invalid(new Error("another number of accounts than asked for"));
  return value.map(toState);
}

function toState(account: z.output<typeof Account> | null): AccountState | null {
  if (account === null) return null;
  const { owner, executable } = account;
  return { lamports: BigInt(account.lamports), owner, data: Buffer.from(account.data[0], "base64"), executable };
}

async function latestBlockhash(connection: Connection): Promise<BlockhashInfo> {
  // Not getLatestBlockhash: that one hides what went wrong in an error of its own.
  const { value, context } = await connection.getLatestBlockhashAndContext();
  const usable = bs58.decodeUnsafe(value.blockhash)?.length === 32 && Number.isSafeInteger(value.lastValidBlockHeight);
  if (!usable) throw invalid(new Error("no usable blockhash"));
  return { ...value, slot: context.slot };
}

/** Not getBlockHeight: a height is only worth something beside the slot of the same moment, and some nodes answer it with the slot. */
async function head(rpc: JsonRpc): Promise<ChainHead> {
  const params = [{ commitment: "confirmed" }];
  const { absoluteSlot, blockHeight } = await rpc.call("getEpochInfo", params, HeadAnswer, {
    maxBytes: HEAD_MAX_BYTES,
  });
  // Every network served here has skipped slots since its first, so the two are never equal.
  if (blockHeight >= absoluteSlot) throw invalid(new Error("the slot in place of the block height"));
  return { slot: absoluteSlot, height: blockHeight };
}

async function unitPrices(rpc: JsonRpc, accounts: string[]): Promise<bigint[]> {
  const bounds = { maxBytes: HEAD_MAX_BYTES };
  const fees = await rpc.call("getRecentPrioritizationFees", [accounts], UnitPrices, bounds);
  return fees.map(({ prioritizationFee }) => BigInt(prioritizationFee));
}

async function rentExemptMinimum(connection: Connection, bytes: number): Promise<bigint> {
  const lamports = await connection.getMinimumBalanceForRentExemption(bytes);
  // It is paid, for an activation say, so no node may name just any.
  const usable = Number.isSafeInteger(lamports) && lamports > 0 && BigInt(lamports) <= mostRent(bytes);
  if (!usable) throw invalid(new Error("no rent minimum"));
  return BigInt(lamports);
}

/** A node that is behind is asked so often at most; meanwhile it catches up, or another one answers. */
const SIMULATIONS = 3;
const CATCH_UP_MS = 400;

/**
 * An unsigned draft fails for certain only where a node says so that has seen as much as we have: one that is behind knows
 * nothing of the deposit it rests on. Of signed bytes the relay judges that.
 * @throws AppError upstream_unavailable when no such node is to be had
 */
async function simulateCaughtUp(
  { nodes, clock }: SolanaRpcOptions,
  transaction: Uint8Array,
  options: Parameters<SolanaRpc["simulate"]>[1],
): Promise<SimulationResult> {
  const seenSlot = nodes.newestSlot();
  for (let ask = 1; ; ask++) {
    const result = await simulate(nodes.rpc, transaction, options);
    if (result.error === null || options.verifySignatures || result.slot >= seenSlot) return result;
    if (ask === SIMULATIONS) throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "lags") });
    await clock.sleep(CATCH_UP_MS);
  }
}

async function simulate(
  rpc: JsonRpc,
  transaction: Uint8Array,
  { verifySignatures: sigVerify, accounts: addresses = [] }: Parameters<SolanaRpc["simulate"]>[1],
): Promise<SimulationResult> {
  const config = {
    encoding: "base64",
    commitment: "confirmed",
    sigVerify,
    // Not beside sigVerify, which it excludes. A fresh blockhash is unknown to the next node of a pool.
    ...(!sigVerify && { replaceRecentBlockhash: true }),
    ...(addresses.length > 0 && { accounts: { addresses, encoding: "base64" } }),
  };
  const bounds = { maxBytes: TRANSACTION_MAX_BYTES, onError: transactionFailure };
  const params = [toBase64(transaction), config];
  const { value, context } = await rpc.call("simulateTransaction", params, SimulationAnswer, bounds);
  const { err, logs, unitsConsumed, accounts } = value;
  const result = { error: err as Json, logs: logs ?? [], unitsConsumed: unitsConsumed ?? null, slot: context.slot };
  if (addresses.length === 0 || err !== null) return result;
  if (accounts?.length !== addresses.length) throw invalid(new Error("another number of accounts than asked for"));
  return { ...result, accounts: accounts.map(toState) };
}

async function states(connection: Connection, signatures: string[], search: boolean): Promise<SignatureStates> {
  const options = { searchTransactionHistory: search };
  const { value, context } = await connection.getSignatureStatuses(signatures, options);
  if (value.length !== signatures.length) throw invalid(new Error("another number of statuses than asked for"));
  const all = value.map((status): SignatureState | null => {
    if (!status) return null;
    // Nodes older than confirmationStatus say finalized as "no more confirmations to count".
    const confirmation = status.confirmationStatus ?? (status.confirmations === null ? "finalized" : "processed");
    return { slot: status.slot, error: (status.err ?? null) as Json, confirmation };
  });
  return { slot: context.slot, states: all };
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
