/**
 * This folder implements the SolanaRpc port: it knows JSON-RPC methods, checks their answers and caches them. Choosing
 * a node, failover and send rates belong in `nodes/`, the wire format in `lib/solana`, and decisions about money in
 * `lib/services` and `lib/domain`.
 */
import type { AccountState } from "../../domain/chain-accounts";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { Random } from "../../ports/random";
import type { HistoryEntry, HistoryPageRequest, SolanaRpc, TokenHoldings } from "../../ports/solana-rpc";
import { toBase64, toHex } from "../../solana/bytes";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import { type Cache, createCache } from "../process/cache";
import { type Bucket, NO_LIMIT } from "../quota/bucket";
import type { QuotaPort, QuotaUser } from "../quota/quota-port";
import { ignoreOutage } from "../store/store-failure";
import { createBatchedAccountReader, MAX_ADDRESSES_PER_CALL, readAccounts } from "./accounts";
import {
  isBlockhashValid,
  readBlockHeight,
  readFee,
  readHead,
  readLatestBlockhash,
  readSignatureStates,
  readUnitPrices,
  simulateOnCaughtUpNode,
} from "./cluster-reads";
import { callCaughtUpNode, createJsonRpcFrom, type JsonRpc } from "./json-rpc";
import { createKnownHoldingsReader } from "./known-holdings";
import type { Nodes } from "./nodes/nodes";
import { createRentReader } from "./rent-cache";
import { createSharedTransactionReader } from "./shared-transactions";
import { createSignatureLists } from "./signature-lists";
import { HOLDINGS_CALL_COUNT, readTokenHoldings } from "./token-holdings";
import { readSignatures, readTransactionAnswer } from "./transaction-history";

/** How long a read is served, ms. Nodes are further apart than this. */
const READ_TTL_MS = 400;
/** The number of cached reads. A read takes a few kilobytes, and a long list of token accounts up to 6 MB. */
const MAX_CACHED_READS = 20_000;

/** A stranger can open thousands of token accounts for a wallet. Public callers share such a list for LONG_LIST_TTL_MS. */
const LONG_LIST_SIZE = 2_000;
const LONG_LIST_TTL_MS = 5_000;

/** The number of cached transactions, about 5 KB each. A confirmed transaction never changes. */
const MAX_CACHED_TRANSACTIONS = 2_000;

export interface SolanaRpcOptions {
  nodes: Pick<Nodes, "rpc" | "send" | "estimateSendMs" | "hasSendLimit" | "getNewestSlot" | "getSlotMs">;
  clock: Clock;
  /** Absent: calls are not limited. */
  bucket?: Bucket;
  /** The store of several instances, which share final transactions, rent minimums and lists of token accounts. */
  shared?: { kv: Pick<KvStore, "get" | "set" | "setIfAbsent" | "replace">; random: Random };
}

/**
 * Creates the client of the chain, at COMMITMENT. Cached objects are shared, so treat them as read-only. A call that
 * the cache cannot answer counts on the bucket of the quota user.
 *
 * The client posts JSON-RPC itself: a call takes about 0.1 ms of CPU, and 0.33 ms through web3.js's Connection.
 * Connection also drops error codes of nodes, which `simulate` and `send` need.
 * @throws AppError upstream_*; or simulation_failed when the node rejects the given transaction
 */
export function createSolanaRpc(options: SolanaRpcOptions): QuotaPort<SolanaRpc> {
  const { nodes, clock, bucket = NO_LIMIT, shared } = options;
  const meterRpc = createRpcMeter(nodes.rpc, bucket);
  const cacheOptions = { clock, onJoin: bucket.join };
  const reads = createCache<unknown>({ ...cacheOptions, ttlMs: READ_TTL_MS, maxEntries: MAX_CACHED_READS });
  // Anyone may send health probes, which read the height. Simultaneous ones share one call, and each gets a current
  // value.
  const heights = createCache({ ...cacheOptions, ttlMs: 0, maxEntries: 1 });
  const transactions = createCache({ ...cacheOptions, ttlMs: Infinity, maxEntries: MAX_CACHED_TRANSACTIONS });
  const readSharedTransaction = createSharedTransactionReader(shared?.kv, nodes.getNewestSlot);
  const leases = shared && createSendLeases(shared);

  return {
    ...createAccountReads({ ...options, bucket }, meterRpc, reads),
    readAccountsAt(quotaUser, addresses, minSlot) {
      const readOptions = { firstBytes: TOKEN_ACCOUNT_BYTES, minSlot };
      return callCaughtUpNode(clock, () => readAccounts(meterRpc(quotaUser), addresses, readOptions));
    },
    readRentExemptMinimum: createRentReader({ ...cacheOptions, meterRpc, kv: shared?.kv }),
    readLatestBlockhash: (quotaUser) =>
      reads.get("blockhash", (loadUser) => readLatestBlockhash(meterRpc(loadUser)), quotaUser),
    readUnitPrices: (quotaUser, accounts) => readUnitPrices(meterRpc(quotaUser), accounts),
    readFee: (quotaUser, message) => readFee(meterRpc(quotaUser), message),
    isBlockhashValid: (quotaUser, blockhash) => isBlockhashValid(meterRpc(quotaUser), blockhash),
    readBlockHeight: (quotaUser) => heights.get("", (loadUser) => readBlockHeight(meterRpc(loadUser)), quotaUser),
    readHead: (quotaUser) => reads.get("head", (loadUser) => readHead(meterRpc(loadUser)), quotaUser),
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
    async readTransaction(quotaUser, signature) {
      const readFromNode = (loadUser: QuotaUser) => readTransactionAnswer(meterRpc(loadUser), signature);
      const read = (loadUser: QuotaUser) => readSharedTransaction(signature, () => readFromNode(loadUser));
      const transaction = await transactions.get(signature, read, quotaUser);
      // Do not cache a missing transaction: the next node may have it.
      if (!transaction) transactions.invalidate(signature);
      return transaction;
    },
  };
}

/** Creates the reads whose answers depend on accounts, and `invalidate`. The key of a read contains its addresses. */
function createAccountReads(
  { nodes, clock, bucket, shared }: SolanaRpcOptions & { bucket: Bucket },
  meterRpc: RpcMeter,
  reads: Cache<unknown>,
): Pick<QuotaPort<SolanaRpc>, "readAccounts" | "readTokenHoldings" | "readSignatures" | "invalidate"> {
  const { rpc, getNewestSlot } = nodes;
  const readInBatch = createBatchedAccountReader(meterRpc, clock, bucket);
  const readBatch = (quotaUser: QuotaUser, addresses: string[]) =>
    reads.get(`batch,${addresses}`, (loadUser) => readInBatch(loadUser, addresses), quotaUser);
  const listHoldings = async (quotaUser: QuotaUser, owner: string): Promise<TokenHoldings> => {
    // Wait for the quota of all calls before the first, so that their answers show the same moment.
    await Promise.all(Array.from({ length: HOLDINGS_CALL_COUNT }, () => bucket.take(quotaUser)));
    return readTokenHoldings(rpc, owner);
  };
  const readHoldings = (quotaUser: QuotaUser, owner: string) =>
    reads.get(toHoldingsKey(owner), (loadUser) => listHoldings(loadUser, owner), quotaUser);
  const longLists = createCache<unknown>({ ttlMs: LONG_LIST_TTL_MS, maxEntries: 100, clock });
  const readAllHoldings = async (quotaUser: QuotaUser, owner: string): Promise<TokenHoldings> => {
    if (quotaUser.priority === "money") return readHoldings(quotaUser, owner);
    const key = toHoldingsKey(owner);
    const list = await longLists.get(key, (loadUser) => readHoldings(loadUser, owner), quotaUser);
    if (list.holdings.length + list.leftOut.length <= LONG_LIST_SIZE) longLists.invalidate(key);
    return list;
  };
  const holdingsOptions = { clock, readAccounts: readInBatch, readAllHoldings, kv: shared?.kv };
  const knownHoldings = createKnownHoldingsReader(holdingsOptions);
  const readKnownHoldings = (quotaUser: QuotaUser, owner: string) =>
    reads.get(`${toHoldingsKey(owner)},known`, (loadUser) => knownHoldings.read(loadUser, owner), quotaUser);
  const signatures = createSignatureLists({
    clock,
    ttlMs: READ_TTL_MS,
    getNewestSlot,
    onJoin: bucket.join,
    readBalances: (quotaUser, owner) =>
      describeBalances(Promise.all([readBatch(quotaUser, [owner]), readKnownHoldings(quotaUser, owner)])),
    readNodePage: createNodePageReader(meterRpc, clock, getNewestSlot),
  });

  return {
    async readAccounts(quotaUser, addresses, { firstBytes, waitsForBatch } = {}) {
      if (addresses.length > MAX_ADDRESSES_PER_CALL) throw new RangeError("at most 100 addresses");
      if (addresses.length === 0) return [];
      if (waitsForBatch) return readBatch(quotaUser, addresses);
      const read = async (loadUser: QuotaUser) =>
        (await readAccounts(meterRpc(loadUser), addresses, { firstBytes })).accounts;
      return reads.get(`accounts,${firstBytes},${addresses}`, read, quotaUser);
    },
    readTokenHoldings: (quotaUser, owner, { mayLackNewAccounts } = {}) =>
      mayLackNewAccounts ? readKnownHoldings(quotaUser, owner) : readHoldings(quotaUser, owner),
    readSignatures: signatures.readPage,
    invalidate(_quotaUser, addresses) {
      const changedAddresses = new Set(addresses);
      const isStale = (key: string, value: unknown) =>
        key.split(",").some((part) => changedAddresses.has(part)) ||
        (key.startsWith(HOLDINGS_KEY) && mayHold(value as TokenHoldings | undefined, changedAddresses));
      for (const cache of [reads, longLists]) cache.invalidateWhere(isStale);
      signatures.invalidate(changedAddresses);
      knownHoldings.invalidate(changedAddresses);
    },
  };
}

const HOLDINGS_KEY = "holdings,";
const toHoldingsKey = (owner: string) => `${HOLDINGS_KEY}${owner}`;

/** Returns whether holdings may list one of these token accounts. A read in flight, `undefined`, may return any. */
const mayHold = (holdings: TokenHoldings | undefined, accounts: ReadonlySet<string>): boolean =>
  !holdings || holdings.holdings.some(({ address }) => accounts.has(address));

/** Returns the balances of a wallet's account and token accounts as one text, or null if they cannot be read. */
async function describeBalances(reading: Promise<[(AccountState | null)[], TokenHoldings]>): Promise<string | null> {
  const balances = await reading.catch(ignoreOutage);
  if (!balances) return null;
  const [[account], { holdings, leftOut }] = balances;
  const tokens = holdings.map((holding) => `${holding.address} ${holding.amount}`).sort();
  return leftOut.length > 0 ? null : [account?.lamports ?? 0n, ...tokens].join();
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

type RpcMeter = ReturnType<typeof createRpcMeter>;

/** Returns a function that creates a client of the nodes whose calls count on the bucket of one quota user. */
const createRpcMeter = (rpc: JsonRpc, bucket: Bucket) => (quotaUser: QuotaUser) =>
  createJsonRpcFrom(async (method, params, options) => {
    await bucket.take(quotaUser);
    return rpc.ask(method, params, options);
  });

const { ttlMs: LEASE_MS } = STORE_KEYS.sendLease;

/**
 * Creates the leases of this instance, which decide who sends a transaction that a client has posted to several. A send
 * first takes or renews a lease in the store, and a failed send gives it back. An instance loses its lease when it dies
 * or a send takes longer than LEASE_MS. While the store fails, every instance sends. Leases only save calls: two
 * instances that send the same bytes do no harm, because the chain executes them once.
 */
function createSendLeases({ kv, random }: NonNullable<SolanaRpcOptions["shared"]>) {
  const instanceId = toHex(random.bytes(16));
  return {
    /** Takes or renews the lease of a transaction. @returns false while another instance holds it */
    async take(transaction: Uint8Array): Promise<boolean> {
      const key = toLeaseKey(transaction);
      const renewLease = () => kv.replace(key, instanceId, instanceId, LEASE_MS);
      const hasLease = await kv
        .setIfAbsent(key, instanceId, LEASE_MS)
        .then((isFree) => isFree || renewLease())
        .catch(ignoreOutage);
      return hasLease ?? true;
    },
    async release(transaction: Uint8Array): Promise<void> {
      await kv.replace(toLeaseKey(transaction), instanceId, null).catch(ignoreOutage);
    },
  };
}

/** The first signature identifies a transaction. It follows the number of signatures, which takes one byte. */
const toLeaseKey = (transaction: Uint8Array) => STORE_KEYS.sendLease.toKey(toBase64(transaction.subarray(1, 65)));
