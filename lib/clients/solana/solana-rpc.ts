/**
 * This folder implements the SolanaRpc port: it knows JSON-RPC methods, checks their answers and caches them.
 * Choosing a node, failover and send rates belong in `nodes/`. Encoding and decoding of transactions and instructions
 * belong in `lib/solana`, and decisions about money in `lib/services` and `lib/domain`.
 */
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { HistoryEntry, HistoryPageRequest, SolanaRpc, TokenHoldings } from "../../ports/solana-rpc";
import { type CacheOptions, createCache } from "../process/cache";
import { type Bucket, NO_LIMIT } from "../quota/bucket";
import type { QuotaPort, QuotaUser } from "../quota/quota-port";
import { ignoreOutage } from "../store/store-failure";
import { createBatchedAccountReader, MAX_ADDRESSES_PER_CALL } from "./account-batches";
import { readAccounts, readAccountsAt } from "./accounts";
import { callCaughtUpNode } from "./caught-up-node";
import {
  isBlockhashValid,
  readBlockHeight,
  readFee,
  readHead,
  readLatestBlockhash,
  readSignatureStates,
  readUnitPrices,
} from "./cluster-reads";
import { createJsonRpcFrom, type JsonRpc } from "./json-rpc";
import { createKnownHoldingsReader } from "./known-holdings";
import type { Nodes } from "./nodes/nodes";
import { createRentCache } from "./rent-cache";
import { createSendLeases, type SendLeasesOptions } from "./send-leases";
import { createSharedTransactionReader } from "./shared-transactions";
import { createSignatureLists } from "./signature-lists";
import { simulateOnCaughtUpNode } from "./simulation";
import { HOLDINGS_CALL_COUNT, readTokenHoldings } from "./token-holdings";
import { readSignatures, readTransactionAnswer, toTransactionFigures } from "./transaction-history";

/** How long a read is served, ms. Nodes are further apart than this. */
const READ_TTL_MS = 400;

/** A list of more token accounts than this is costly to read, so public callers share it for LONG_LIST_TTL_MS. */
const LONG_LIST_SIZE = 2_000;
/** How long public callers share a long list, ms. */
const LONG_LIST_TTL_MS = 5_000;

/** The number of cached transactions, about 5 KB each. A confirmed transaction never changes. */
const MAX_CACHED_TRANSACTIONS = 2_000;

export interface SolanaRpcOptions {
  nodes: Pick<Nodes, "rpc" | "send" | "estimateSendMs" | "hasSendLimit" | "getNewestSlot" | "getSlotMs">;
  clock: Clock;
  /** Absent: calls are not limited. */
  bucket?: Bucket;
  /**
   * The store of several instances. One instance at a time sends a transaction. The instances share final
   * transactions, rent minimums and lists of token accounts.
   */
  shared?: SendLeasesOptions & { kv: Pick<KvStore, "get" | "set"> };
}

/**
 * Creates the client of the chain, at COMMITMENT.
 *
 * Accounts, token holdings, signatures, the head and the blockhash are cached for READ_TTL_MS, and the rent minimum
 * for a minute. Final signatures are kept, and a later listing reads only newer ones. The MAX_CACHED_TRANSACTIONS most
 * recently used transactions are cached without a time limit. The block height is not cached. Concurrent callers share
 * one load. Cached objects are shared, so treat them as read-only. A call that the cache cannot answer counts on the
 * bucket of the quota user.
 *
 * The client posts JSON-RPC itself: a call takes about 0.1 ms of CPU, and 0.33 ms through web3.js's Connection.
 * Connection also drops error codes of nodes, which `simulate` and `send` need.
 * @throws AppError upstream_*; or simulation_failed when the node rejects the given transaction
 */
export function createSolanaRpc(options: SolanaRpcOptions): QuotaPort<SolanaRpc> {
  const { nodes, clock, bucket = NO_LIMIT, shared } = options;
  const meterRpc = createRpcMeter(nodes.rpc, bucket);
  const caches = createCaches(options, bucket, meterRpc);
  const leases = shared && createSendLeases(shared);

  return {
    async readAccounts(quotaUser, addresses, { firstBytes, waitsForBatch } = {}) {
      if (addresses.length > MAX_ADDRESSES_PER_CALL) throw new RangeError("at most 100 addresses");
      if (addresses.length === 0) return [];
      if (waitsForBatch) return caches.batchedAccounts.get(addresses.join(), quotaUser);
      return caches.accounts.get([firstBytes ?? "", ...addresses].join(), quotaUser);
    },
    readAccountsAt: (quotaUser, addresses, minSlot) =>
      callCaughtUpNode(clock, () => readAccountsAt(meterRpc(quotaUser), addresses, minSlot)),
    readTokenHoldings: (quotaUser, owner, { mayLackNewAccounts } = {}) =>
      mayLackNewAccounts ? caches.knownHoldings.get(owner, quotaUser) : caches.readAllHoldings(quotaUser, owner),
    readRentExemptMinimum: (quotaUser, bytes) => caches.rent.get(String(bytes), quotaUser),
    readLatestBlockhash: (quotaUser) => caches.blockhash.get("", quotaUser),
    readUnitPrices: (quotaUser, accounts) => readUnitPrices(meterRpc(quotaUser), accounts),
    readFee: (quotaUser, message) => readFee(meterRpc(quotaUser), message),
    isBlockhashValid: (quotaUser, blockhash) => isBlockhashValid(meterRpc(quotaUser), blockhash),
    readBlockHeight: (quotaUser) => caches.height.get("", quotaUser),
    readHead: (quotaUser) => caches.head.get("", quotaUser),
    simulate(quotaUser, transaction, options) {
      const newestSlot = nodes.getNewestSlot();
      return simulateOnCaughtUpNode({ rpc: meterRpc(quotaUser), clock, newestSlot }, transaction, options);
    },
    async send(quotaUser, transaction, ...limits) {
      if (leases && !(await leases.take(transaction))) return;
      try {
        if (!nodes.hasSendLimit) await bucket.take(quotaUser);
        await nodes.send(quotaUser, transaction, ...limits);
      } catch (error) {
        await leases?.release(transaction);
        throw error;
      }
    },
    estimateSendMs: nodes.estimateSendMs,
    getSlotTime: () => ({ newestSlot: nodes.getNewestSlot(), slotMs: nodes.getSlotMs() }),
    readSignatureStates: (quotaUser, signatures, searchHistory) =>
      readSignatureStates(meterRpc(quotaUser), signatures, searchHistory),
    readSignatures: (quotaUser, address, page) => caches.signatures.readPage(quotaUser, address, page),
    async readTransaction(quotaUser, signature) {
      const transaction = await caches.transactions.get(signature, quotaUser);
      // Do not cache a missing transaction: the next node may have it.
      if (!transaction) caches.transactions.invalidate(signature);
      return transaction;
    },
    invalidate: (_quotaUser, addresses) => invalidateAddresses(caches, addresses),
  };
}

type Caches = ReturnType<typeof createCaches>;

function createCaches(options: SolanaRpcOptions, bucket: Bucket, meterRpc: RpcMeter) {
  const { clock, nodes, shared } = options;
  const { rpc, getNewestSlot } = nodes;
  const onJoin = bucket.join;
  const readSharedTransaction = shared && createSharedTransactionReader(shared.kv, getNewestSlot);
  const createReadCache = <T>(ttlMs: number, maxEntries: number, load: CacheOptions<T>["load"]) =>
    createCache({ ttlMs, maxEntries, clock, onJoin, load });
  const holdings = createReadCache(READ_TTL_MS, 1_000, async (owner, quotaUser) => {
    // Wait for the quota of all calls before the first, so that their answers show the same moment.
    await Promise.all(Array.from({ length: HOLDINGS_CALL_COUNT }, () => bucket.take(quotaUser)));
    return readTokenHoldings(rpc, owner);
  });
  const longLists = createCache({ ttlMs: LONG_LIST_TTL_MS, maxEntries: 100, clock, load: holdings.get });
  const readAllHoldings = async (quotaUser: QuotaUser, owner: string) => {
    if (quotaUser.priority === "money") return holdings.get(owner, quotaUser);
    const longList = await longLists.get(owner, quotaUser);
    if (longList.holdings.length + longList.leftOut.length <= LONG_LIST_SIZE) longLists.invalidate(owner);
    return longList;
  };
  const readInBatch = createBatchedAccountReader(rpc, clock, bucket);
  const kv = shared?.kv;
  const knownHoldingsReader = createKnownHoldingsReader({ clock, readAccounts: readInBatch, readAllHoldings, kv });
  // A busy account is read again before its value expires, so no caller waits for the other reads of a batch.
  const createBatchedCache = <T>(load: CacheOptions<T>["load"]) =>
    createCache({ ttlMs: READ_TTL_MS, refreshAfterMs: READ_TTL_MS / 2, maxEntries: 10_000, clock, onJoin, load });
  const batchedAccounts = createBatchedCache((key, quotaUser) => readInBatch(quotaUser, key.split(",")));
  const knownHoldings = createBatchedCache((owner, quotaUser) => knownHoldingsReader.read(quotaUser, owner));
  /** Returns the balances of a wallet's account and token accounts, or null if they cannot be read. */
  const readBalances = async (quotaUser: QuotaUser, owner: string): Promise<string | null> => {
    const reading = Promise.all([batchedAccounts.get(owner, quotaUser), knownHoldings.get(owner, quotaUser)]);
    const balances = await reading.catch(ignoreOutage);
    if (!balances) return null;
    const [[account], { holdings, leftOut }] = balances;
    const tokens = holdings.map((holding) => `${holding.address} ${holding.amount}`).sort();
    return leftOut.length > 0 ? null : [account?.lamports ?? 0n, ...tokens].join();
  };
  return {
    readAllHoldings,
    batchedAccounts,
    knownHoldings,
    knownHoldingsReader,
    accounts: createReadCache(READ_TTL_MS, 10_000, (key, quotaUser) => {
      const [firstBytes, ...addresses] = key.split(",");
      return readAccounts(meterRpc(quotaUser), addresses, firstBytes ? Number(firstBytes) : null);
    }),
    holdings,
    longLists,
    signatures: createSignatureLists({
      clock,
      ttlMs: READ_TTL_MS,
      getNewestSlot,
      onJoin,
      readBalances,
      readNodePage: createNodePageReader(meterRpc, clock, getNewestSlot),
    }),
    transactions: createReadCache(Number.POSITIVE_INFINITY, MAX_CACHED_TRANSACTIONS, async (signature, quotaUser) => {
      const readFromNode = () => readTransactionAnswer(meterRpc(quotaUser), signature);
      if (readSharedTransaction) return readSharedTransaction(signature, readFromNode);
      return toTransactionFigures(await readFromNode());
    }),
    head: createReadCache(READ_TTL_MS, 1, (_key, quotaUser) => readHead(meterRpc(quotaUser))),
    // Health probes read the height. Anyone may send them, and they count on the `money` share. Simultaneous probes
    // share one call, and each gets a current value.
    height: createReadCache(0, 1, (_key, quotaUser) => readBlockHeight(meterRpc(quotaUser))),
    blockhash: createReadCache(READ_TTL_MS, 1, (_key, quotaUser) => readLatestBlockhash(meterRpc(quotaUser))),
    rent: createRentCache({ rpc, clock, bucket, kv }),
  };
}

/** Returns a reader of history pages. For `minSlot`, the node must have reached the newest known slot. */
function createNodePageReader(meterRpc: RpcMeter, clock: Clock, getNewestSlot: () => number) {
  return async (quotaUser: QuotaUser, address: string, page: HistoryPageRequest): Promise<HistoryEntry[]> => {
    const rpc = meterRpc(quotaUser);
    if (page.minSlot === undefined) return readSignatures(rpc, address, page);
    const newestPage = { ...page, minSlot: Math.max(page.minSlot, getNewestSlot()) };
    return callCaughtUpNode(clock, () => readSignatures(rpc, address, newestPage));
  };
}

function invalidateAddresses(caches: Caches, addresses: string[]): void {
  if (addresses.length === 0) return;
  const changedAddresses = new Set(addresses);
  const isChanged = (key: string) => key.split(",").some((address) => changedAddresses.has(address));
  caches.accounts.invalidateWhere(isChanged);
  caches.batchedAccounts.invalidateWhere(isChanged);
  caches.signatures.invalidate(changedAddresses);
  // A read in flight may return any account, so it counts as stale.
  const isStale = (owner: string, cachedHoldings: TokenHoldings | undefined) =>
    changedAddresses.has(owner) ||
    !cachedHoldings ||
    cachedHoldings.holdings.some((holding) => changedAddresses.has(holding.address));
  caches.holdings.invalidateWhere(isStale);
  caches.knownHoldings.invalidateWhere(isStale);
  for (const address of changedAddresses) caches.knownHoldingsReader.invalidate(address);
  caches.longLists.invalidateWhere(isStale);
}

type RpcMeter = ReturnType<typeof createRpcMeter>;

/** Returns a function that creates a client of the nodes whose calls count on the bucket of one quota user. */
const createRpcMeter = (rpc: JsonRpc, bucket: Bucket) => (quotaUser: QuotaUser) =>
  createJsonRpcFrom(async (method, params, options) => {
    await bucket.take(quotaUser);
    return rpc.ask(method, params, options);
  });
