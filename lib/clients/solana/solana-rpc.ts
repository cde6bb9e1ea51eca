import { Connection } from "@solana/web3.js";
import bs58 from "bs58";
import { z } from "zod";
import type { ChainHead } from "../../domain/expiry";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Json } from "../../ports/json";
import type {
  BlockhashInfo,
  HistoryPage,
  SignatureState,
  SignatureStates,
  SolanaRpc,
  TokenHoldings,
} from "../../ports/solana-rpc";
import { highestRent, lowestRent } from "../../solana/rent";
import { type Cached, createCache } from "../process/cached";
import { type Asker, type Budget, UNLIMITED } from "../quota/budget";
import type { CallerScoped } from "../quota/caller-scoped";
import { readAccounts } from "./accounts";
import type { JsonRpc } from "./json-rpc";
import type { Nodes } from "./nodes/nodes";
import { simulateCaughtUp } from "./simulation";
import { HOLDINGS_CALLS, readTokenHoldings } from "./token-holdings";
import { readSignatures, readSignaturesCaughtUp, readTransaction } from "./transaction-history";

/** One slot: within it the chain, as one node shows it, hardly ever changes. */
const READ_TTL_MS = 400;
/** Rent falls in steps that are announced months ahead. */
const RENT_TTL_MS = 60_000;

/** A list of more token accounts than this is costly to read: public reads share one for so long. */
const LONG_LIST = 2_000;
const LONG_LIST_TTL_MS = 5_000;

/** Transactions remembered: they do not change once confirmed. About 5 KB each. */
export const TRANSACTIONS_KEPT = 2_000;

const MAX_ADDRESSES = 100;
const HEAD_MAX_BYTES = 65_536;

const Slot = z.number().int().nonnegative();

// Not .int(): any unsigned 64-bit price can have been paid.
const UnitPrices = z
  .array(z.object({ prioritizationFee: z.number().nonnegative().refine(Number.isInteger) }))
  .max(1_000);

const HeadAnswer = z.object({ absoluteSlot: Slot, blockHeight: Slot });

export interface SolanaRpcOptions {
  nodes: Pick<Nodes, "rpc" | "send" | "newestSlot">;
  clock: Clock;
  /** Absent: no ceiling. */
  budget?: Budget;
}

/**
 * The chain, at commitment `confirmed`, as the nodes show it. Accounts,
 * token holdings, signatures, the head and the blockhash are cached for READ_TTL_MS and the rent minimum for RENT_TTL_MS, with
 * single flight, and the newest TRANSACTIONS_KEPT transactions for good; cached objects are shared, so treat them as read-only. Every failure is an AppError: upstream_*, or simulation_failed
 * where the node will not have the transaction it was given. What is not cached is a call of the asker's budget.
 *
 * It stands on web3.js's Connection. Reads of accounts and holdings, which every request may need, post their JSON-RPC
 * themselves: about 0.1 ms of CPU a call against 0.33 ms. So do simulate and send, which must pass the very bytes that were signed
 * and need the error code that Connection drops.
 */
export function createSolanaRpc({ nodes, clock, budget = UNLIMITED }: SolanaRpcOptions): CallerScoped<SolanaRpc> {
  const { rpc } = nodes;
  const connection = connect(rpc);
  const read = readWithin(budget);
  const caches = createCaches(clock, rpc, connection, budget);

  return {
    async accounts(asker, addresses, { firstBytes } = {}) {
      if (addresses.length > MAX_ADDRESSES) throw new RangeError("at most 100 addresses");
      return addresses.length === 0 ? [] : caches.accounts.get([firstBytes ?? "", ...addresses].join(","), asker);
    },
    async tokenHoldings(asker, owner) {
      if (asker.share !== "public") return caches.holdings.get(owner, asker);
      const found = await caches.longLists.get(owner, asker);
      if (found.holdings.length + found.leftOut.length <= LONG_LIST) caches.longLists.invalidate(owner);
      return found;
    },
    rentExemptMinimum: (asker, bytes) => caches.rent.get(String(bytes), asker),
    latestBlockhash: (asker) => caches.blockhash.get("", asker),
    recentUnitPrices: (asker, accounts) => read(asker, () => unitPrices(rpc, accounts)),
    isBlockhashValid: (asker, hash) => read(asker, async () => (await connection.isBlockhashValid(hash)).value),
    blockHeight: (asker) => caches.height.get("", asker),
    head: (asker) => caches.head.get("", asker),
    simulate: (asker, transaction, options) =>
      simulateCaughtUp({ nodes, clock, turn: () => budget.take(asker) }, transaction, options),
    async send(asker, ...sent) {
      await budget.take(asker);
      await nodes.send(...sent);
    },
    signatureStates: (asker, signatures, search) => read(asker, () => states(connection, signatures, search)),
    async signaturesOf(asker, address, { minSlot, ...page }) {
      const { limit, before = "", until = "" } = page;
      if (minSlot === undefined) return caches.signatures.get(`${address},${limit},${before},${until}`, asker);
      const newest = { ...page, minSlot: Math.max(minSlot, nodes.newestSlot()) };
      return readSignaturesCaughtUp({ rpc, clock, turn: () => budget.take(asker) }, address, newest);
    },
    async transaction(asker, signature) {
      const found = await caches.transactions.get(signature, asker);
      // Missing is not for good: the next node may have it.
      if (!found) caches.transactions.invalidate(signature);
      return found;
    },
    invalidate: (_asker, addresses) => forget(caches, addresses),
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

function createCaches(clock: Clock, rpc: JsonRpc, connection: Connection, budget: Budget) {
  const read = readWithin(budget);
  const joined = budget.join;
  /** @param calls that one load makes */
  const cache = <T>(ttlMs: number, maxEntries: number, load: (key: string) => Promise<T>, calls = 1): Cached<T> =>
    createCache({ ttlMs, maxEntries, clock, joined, load: (key, asker) => read(asker, () => load(key), calls) });
  const holdings = cache(READ_TTL_MS, 1_000, (owner) => readTokenHoldings(rpc, owner), HOLDINGS_CALLS);
  return {
    accounts: cache(READ_TTL_MS, 10_000, (key) => readAccounts(rpc, ...accountsOf(key))),
    holdings,
    longLists: createCache({ ttlMs: LONG_LIST_TTL_MS, maxEntries: 100, clock, load: holdings.get }),
    signatures: cache(READ_TTL_MS, 1_000, (key) => readSignatures(rpc, ...historyOf(key))),
    transactions: cache(Number.POSITIVE_INFINITY, TRANSACTIONS_KEPT, (signature) => readTransaction(rpc, signature)),
    head: cache(READ_TTL_MS, 1, () => head(rpc)),
    // Asked by probes, which anybody may send and which count as money's: those of one moment share it, as each is to say how things are.
    height: cache(0, 1, () => connection.getBlockHeight()),
    blockhash: cache(READ_TTL_MS, 1, () => latestBlockhash(connection)),
    rent: cache(RENT_TTL_MS, 100, (bytes) => rentExemptMinimum(rpc, Number(bytes))),
  };
}

function accountsOf(key: string): [addresses: string[], firstBytes: number | null] {
  const [firstBytes, ...addresses] = key.split(",");
  return [addresses, firstBytes ? Number(firstBytes) : null];
}

function historyOf(key: string): [address: string, page: HistoryPage] {
  const [address = "", limit, before, until] = key.split(",");
  return [address, { limit: Number(limit), ...(before && { before }), ...(until && { until }) }];
}

function forget(caches: Caches, addresses: string[]): void {
  if (addresses.length === 0) return;
  const changed = new Set(addresses);
  caches.accounts.invalidateWhere((key) => key.split(",").some((address) => changed.has(address)));
  caches.signatures.invalidateWhere((key) => changed.has(key.slice(0, key.indexOf(","))));
  // Which accounts a read in flight will find is not known yet, so it counts as changed.
  const isStale = (owner: string, found: TokenHoldings | undefined) =>
    changed.has(owner) || !found || found.holdings.some((holding) => changed.has(holding.account));
  caches.holdings.invalidateWhere(isStale);
  caches.longLists.invalidateWhere(isStale);
}

/** Runs a read of so many calls at once. */
const readWithin =
  (budget: Budget) =>
  async <T>(asker: Asker, attempt: () => Promise<T>, calls = 1): Promise<T> => {
    await Promise.all(Array.from({ length: calls }, () => budget.take(asker)));
    return attempt().catch((error) => {
      throw toAppError(error);
    });
  };

/** Connection throws errors of its own where an answer lacks the shape it expects. */
function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : invalid(error);
}

const invalid = (cause: unknown) => new AppError("upstream_invalid", { cause });

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

/** Held against bounds while the pool reads the answer, so that it asks the next node when one is wrong. */
async function rentExemptMinimum(rpc: JsonRpc, bytes: number): Promise<bigint> {
  const [least, most] = [lowestRent(BigInt(bytes)), highestRent(BigInt(bytes))];
  const Rent = z
    .int()
    .transform(BigInt)
    .refine((lamports) => least <= lamports && lamports <= most);
  const params = [bytes, { commitment: "confirmed" }];
  return rpc.call("getMinimumBalanceForRentExemption", params, Rent, { maxBytes: HEAD_MAX_BYTES });
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
