import { createHash } from "node:crypto";
import bs58 from "bs58";
import { createPriceHistory } from "../../../lib/clients/prices/price-history";
import { createBackground } from "../../../lib/clients/process/background";
import { createSharedSecretReader } from "../../../lib/clients/process/shared-secret";
import { createStoreWatch } from "../../../lib/clients/process/store-watch";
import { createVerifier } from "../../../lib/clients/process/verifier";
import { createPlaces } from "../../../lib/clients/quota/places";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../lib/clients/quota/quota-port";
import { createSignatureWatch } from "../../../lib/clients/solana/signature-watch";
import type { TransactionFigures } from "../../../lib/domain/activity";
import { ASSETS, findAssetByMint } from "../../../lib/domain/assets";
import type { AccountState, TokenHolding } from "../../../lib/domain/chain-accounts";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { DEFAULT_PRICE_BOUNDS } from "../../../lib/domain/prices/price-bounds";
import { type DayPrices, toDayNumber } from "../../../lib/domain/prices/price-history";
import type { Prices } from "../../../lib/domain/prices/prices";
import { SANDBOX_DEPLOYMENT } from "../../../lib/domain/signed-texts";
import { QUOTE_TAKER } from "../../../lib/domain/swap/quote-taker";
import type { SwapPlan, SwapRequest } from "../../../lib/domain/swap/swap-plan";
import { AppError } from "../../../lib/errors";
import type { Clock } from "../../../lib/ports/clock";
import type { Deps } from "../../../lib/ports/deps";
import type { Json } from "../../../lib/ports/json";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { Measures } from "../../../lib/ports/measures";
import type { PriceFeed, PriceHistory } from "../../../lib/ports/prices";
import type {
  BlockhashInfo,
  HistoryEntry,
  LeftOutEntry,
  SignatureState,
  SimulationResult,
  SolanaRpc,
} from "../../../lib/ports/solana-rpc";
import type { SwapAggregator } from "../../../lib/ports/swap-aggregator";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { buildTokenAccountData } from "../../../lib/solana/token-accounts";
import {
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { computeFlatFee } from "../fixtures/flat-fee";
import { computeMainnetRent, EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../fixtures/rent";
import { toTestWallet } from "../fixtures/test-wallets";
import { createMemoryStore } from "../store/memory-store";
import { simulateTransfers } from "./fake-simulation";
import { createManualClock, type ManualClock } from "./manual-clock";

/* Provides fake ports for the services. Time stands still, and a test stages every failure. */

type Port = "kv" | "prices" | "priceHistory" | "rpc" | "swaps";

interface PortCall {
  port: Port;
  method: string;
  args: readonly unknown[];
  /** The time of the call on the manual clock, in Unix milliseconds. */
  timeMs: number;
}

/** The answers of the fake chain. A test replaces the members that it needs to change. */
interface ChainScript {
  accounts: Map<string, AccountState>;
  holdings: Map<string, TokenHolding[]>;
  leftOut: Map<string, LeftOutEntry[]>;
  computeRent: (bytes: number) => bigint;
  getLatestBlockhash: () => Omit<BlockhashInfo, "slot"> & { slot?: number };
  isBlockhashValid: (blockhash: string) => boolean;
  getBlockHeight: () => number;
  /** The slot that every answer of the chain reports. */
  slot: () => number;
  /** Returns how long the first send of a transaction would wait. */
  estimateSendMs: () => number;
  /** The slot time that the nodes' answers show, ms. */
  slotMs: number;
  simulate: (
    transaction: Uint8Array,
    addresses?: string[],
  ) => Omit<SimulationResult, "slot" | "feeLamports"> & Partial<Pick<SimulationResult, "slot" | "feeLamports">>;
  /** Returns null for a signature that the chain does not know. */
  getStatus: (signature: string, searchHistory: boolean) => SignatureState | null;
  /** Each address's transactions, newest first. */
  history: Map<string, HistoryEntry[]>;
  transactions: Map<string, TransactionFigures>;
}

export interface FakeDeps extends Deps {
  clock: ManualClock;
  chain: ChainScript;
  /** The prices that the feed returns. Null while it has none. */
  currentPrices: Prices | null;
  /** The feed's prices of mints that are not supported assets. */
  mintPrices: Record<string, number | null>;
  /** The entries of the price history, oldest first. */
  dailyPrices: DayPrices[];
  /** Returns the aggregator's plan for a swap. */
  planSwap: (request: SwapRequest) => SwapPlan;
  /** Every call of a port, in order. */
  calls: PortCall[];
  /** Runs before each call of a port. It may wait, or throw in the port's place. */
  beforeCall: (call: PortCall) => void | Promise<void>;
}

export const FEE_COLLECTORS = [0, 1, 2].map((index) => toTestWallet(`collector ${index}`).address);

export const PRICES_USD = { BTC: 100_000, ETH: 4_000, SOL: 150, USDC: 1, USDT: 0.999 };

/** Creates fake ports that record their calls. @param openStore opens the store that replaces the store in memory */
export function createFakeDeps(
  openStore: (clock: Clock) => KvStore = createMemoryStore,
  clock = createManualClock(),
): FakeDeps {
  const chain = createQuietChain();
  const rpc = recordCalls("rpc", createScriptedRpc(chain));
  const kv = recordCalls("kv", openStore(clock));
  const deps: FakeDeps = {
    network: "sandbox",
    deployment: SANDBOX_DEPLOYMENT,
    feeCollectors: FEE_COLLECTORS,
    pause: null,
    priceBounds: DEFAULT_PRICE_BOUNDS,
    random: createCountingRandom(),
    verifier: createVerifier(),
    readSignInSecret: () => readSecret(),
    faucet: null,
    isEnding: () => false,
    chain,
    currentPrices: createStagedPrices(clock.now()),
    mintPrices: {},
    dailyPrices: [],
    planSwap: (request) => createSwapPlan(request),
    calls: [],
    beforeCall: () => {},
    clock,
    kv,
    prices: recordCalls("prices", {
      async readCurrent() {
        if (!deps.currentPrices) throw new AppError("price_stale");
        return deps.currentPrices;
      },
      readMintPrices: async (mints) =>
        Object.fromEntries(Object.entries(deps.mintPrices).filter(([mint]) => mints.includes(mint))),
    }),
    priceHistory: recordCalls(
      "priceHistory",
      createScriptedHistory(clock, () => deps.dailyPrices),
    ),
    rpc,
    priorityFees: null,
    measures: createStagedMeasures(),
    reportUpstreams: () => [],
    maxPriorityFeeLamports: MAX_PRIORITY_FEE_LAMPORTS,
    signatureWatch: createSignatureWatch({ rpc, clock }),
    background: createBackground(() => {}),
    storeWatch: createStoreWatch({ kv, clock }),
    places: bindQuotaUser(SERVICE_ITSELF, createPlaces()),
    swaps: recordCalls("swaps", { planSwap: async (request) => deps.planSwap(request) }),
  };

  function recordCalls<T extends KvStore | PriceFeed | PriceHistory | SolanaRpc | SwapAggregator>(
    port: Port,
    target: T,
  ): T {
    return new Proxy(target, {
      get(_, method: string) {
        const member = Reflect.get(target, method) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (method === "estimateSendMs" || method === "getSlotTime") return member(...args);
          const call = { port, method, args, timeMs: clock.now() };
          deps.calls.push(call);
          // `invalidate` is the only recorded method that returns no promise.
          if (method === "invalidate") return member(...args);
          return (async () => {
            await deps.beforeCall(call);
            return member(...args);
          })();
        };
      },
    });
  }

  const readSecret = createSharedSecretReader(deps);
  return deps;
}

/** Creates PRICES_USD as prices of the first source alone. @param fetchedAt time of the read, ms since the epoch */
export function createStagedPrices(fetchedAt: number, overrides: Partial<Prices> = {}): Prices {
  return { usd: { ...PRICES_USD }, fetchedAt, source: "staged", doubts: {}, secondSource: null, ...overrides };
}

/** Creates a feed that reads PRICES_USD at every call, so that its prices are never stale. */
export const createFreshPriceFeed = (clock: Pick<Clock, "now">): PriceFeed => ({
  readCurrent: async () => createStagedPrices(clock.now()),
  readMintPrices: async () => ({}),
});

/** Stages PRICES_USD, with these overrides, as the prices that the feed has just read. */
export function setPrices(deps: FakeDeps, overrides?: Partial<Prices>): void {
  deps.currentPrices = createStagedPrices(deps.clock.now(), overrides);
}

/** Stages blocks that charge this many micro-lamports a compute unit. @returns the accounts of each price request */
export function stageUnitPrice(deps: FakeDeps, unitPrice: bigint): string[][] {
  const requests: string[][] = [];
  deps.priorityFees = {
    readUnitPrice: async (accounts) => {
      requests.push(accounts);
      return unitPrice;
    },
  };
  return requests;
}

/** Creates the account of a wallet that holds only SOL. */
export function createSolAccount(lamports: bigint): AccountState {
  return { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() };
}

/** Creates the associated USDC account of a wallet, which holds none. */
export const createUsdcAccount = (wallet: string): AccountState => ({
  lamports: TOKEN_RENT_LAMPORTS,
  owner: TOKEN_PROGRAM,
  data: buildTokenAccountData(ASSETS.USDC.mint, wallet),
});

/** Creates the state of a transaction that is confirmed in this slot. */
export const createConfirmedState = (slot: number, error: Json = null): SignatureState => ({
  slot,
  error,
  confirmation: "confirmed",
});

/** Returns a `chain.simulate` that always gives this result. `unitsConsumed` is null if the node does not report it. */
export const createSimulation =
  (error: Json = null, unitsConsumed: number | null = 0) =>
  () => ({ error, unitsConsumed });

/** Creates the error of an upstream that cannot be reached. */
export const createOutage = () => new AppError("upstream_unavailable");

/** Returns `32 × byte` in base58, which is a valid blockhash. */
export const createBlockhash = (byte: number) => bs58.encode(new Uint8Array(32).fill(byte));

/** Lists the calls so far as `<port>.<method>`. */
export const listCalls = ({ calls }: FakeDeps) => calls.map(({ port, method }) => `${port}.${method}`);

/** Lists the arguments of each call of a port's method so far. */
export const listArguments = ({ calls }: FakeDeps, method: string) =>
  calls.filter((call) => call.method === method).map(({ args }) => args);

/** Lists the bytes sent to the network, with their times. */
export const listSends = ({ calls }: FakeDeps) =>
  calls.flatMap(({ method, args, timeMs }) => (method === "send" ? [{ bytes: args[0] as Uint8Array, timeMs }] : []));

/** Returns a hook for `beforeCall` that makes all calls of these ports and methods fail as an upstream does. */
export const failCalls =
  (...names: string[]): FakeDeps["beforeCall"] =>
  ({ port, method }) => {
    if (names.includes(port) || names.includes(method)) throw createOutage();
  };

/** Makes some calls fail as an upstream does. The other calls keep their hook. @returns a function that ends this */
export function stageOutage(deps: FakeDeps, isFailing: (call: PortCall) => boolean): () => void {
  const { beforeCall } = deps;
  deps.beforeCall = (call) => {
    if (isFailing(call)) throw createOutage();
    return beforeCall(call);
  };
  return () => {
    deps.beforeCall = beforeCall;
  };
}

/**
 * Answers the upstream calls of `work` in rounds: all calls that wait. @returns the names of the calls in each round
 */
export async function recordRounds(deps: FakeDeps, work: () => Promise<unknown>): Promise<string[][]> {
  const waitingCalls: { name: string; answer: () => void }[] = [];
  deps.beforeCall = ({ port, method }) =>
    port === "kv" ? undefined : new Promise((answer) => waitingCalls.push({ name: `${port}.${method}`, answer }));
  let isDone = false;
  const pending = work().finally(() => {
    isDone = true;
  });
  pending.catch(() => {});
  const rounds: string[][] = [];
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDone) break;
    const round = waitingCalls.splice(0);
    if (round.length === 0) throw new Error("the work waits for something other than an upstream call");
    rounds.push(round.map(({ name }) => name).sort());
    for (const { answer } of round) answer();
  }
  await pending;
  return rounds;
}

/** Advances the clock by `ms` while `pending` runs. @returns the result of `pending` */
export async function runFor<T>(ms: number, { clock }: FakeDeps, pending: Promise<T>): Promise<T> {
  // `pending` may reject before the caller awaits it.
  pending.catch(() => {});
  await clock.advance(ms);
  return pending;
}

/** Creates a source of bytes that differ at every call and repeat in every run. */
function createCountingRandom(): Deps["random"] {
  let count = 0;
  return {
    bytes: (length) => new Uint8Array(createHash("sha512").update(`random ${count++}`).digest().subarray(0, length)),
  };
}

/** Returns numbers that need no call of a node: more units than any shape may ask for, and the flat fee. */
function createStagedMeasures(): Measures {
  return {
    async read(key) {
      if (key.startsWith("units ")) return 1_400_000;
      const [unitLimit = 0, unitPrice = 0] = key.split(" ").slice(-2).map(Number);
      return key === "fee swap" ? 5_000 : 5_000 + Math.ceil((unitLimit * unitPrice) / 1e6);
    },
    write: async () => {},
  };
}

/** Creates a price history that reads the entries at every call, so that a test may change them. */
function createScriptedHistory(clock: Clock, getDailyPrices: () => DayPrices[]): PriceHistory {
  const loadDays = async (firstDay: number, lastDay: number) =>
    getDailyPrices().filter(({ time }) => toDayNumber(time) >= firstDay && toDayNumber(time) <= lastDay);
  return {
    readSeries: (...args) => createPriceHistory({ clock, loadDays }).readSeries(...args),
    readPriceAt: (...args) => createPriceHistory({ clock, loadDays }).readPriceAt(...args),
  };
}

/** Creates a chain with only the fee collectors. Every simulation succeeds, and no transaction lands. */
function createQuietChain(): ChainScript {
  const chain: ChainScript = {
    accounts: new Map(
      FEE_COLLECTORS.flatMap((collector) => [
        [collector, createSolAccount(2n * EMPTY_RENT_LAMPORTS)],
        [deriveUsdcAccount(collector), createUsdcAccount(collector)],
      ]),
    ),
    holdings: new Map(),
    leftOut: new Map(),
    computeRent: computeMainnetRent,
    getLatestBlockhash: () => ({ blockhash: createBlockhash(1), lastValidBlockHeight: 1_150 }),
    isBlockhashValid: () => true,
    getBlockHeight: () => 1_000,
    slot: () => chain.getBlockHeight() + SKIPPED_SLOTS,
    simulate: () => ({ error: null, unitsConsumed: 100_000 }),
    estimateSendMs: () => 0,
    slotMs: 200,
    getStatus: () => null,
    history: new Map(),
    transactions: new Map(),
  };
  return chain;
}

/** Number of slots without a block so far. With a large number, tests notice code that confuses slot and height. */
const SKIPPED_SLOTS = 21_000_000;

function createScriptedRpc(chain: ChainScript): SolanaRpc {
  return {
    readAccounts: async (addresses) => addresses.map((address) => chain.accounts.get(address) ?? null),
    async readAccountsAt(addresses, minSlot) {
      if (minSlot > chain.slot()) throw new AppError("upstream_unavailable");
      return { slot: chain.slot(), accounts: addresses.map((address) => chain.accounts.get(address) ?? null) };
    },
    readTokenHoldings: async (owner) => ({
      holdings: chain.holdings.get(owner) ?? [],
      leftOut: chain.leftOut.get(owner) ?? [],
    }),
    readRentExemptMinimum: async (bytes) => chain.computeRent(bytes),
    readLatestBlockhash: async () => ({ slot: chain.slot(), ...chain.getLatestBlockhash() }),
    readUnitPrices: async () => [],
    readFee: async (message) => computeFlatFee(message),
    isBlockhashValid: async (blockhash) => chain.isBlockhashValid(blockhash),
    readBlockHeight: async () => chain.getBlockHeight(),
    readHead: async () => ({ slot: chain.slot(), height: chain.getBlockHeight() }),
    async simulate(transaction, { accounts }) {
      const hasLanded = chain.getStatus(bs58.encode(transaction.subarray(1, 65)), false) !== null;
      const staged = chain.simulate(transaction, accounts);
      const result = {
        slot: chain.slot(),
        feeLamports: null,
        ...(hasLanded ? { ...staged, error: "AlreadyProcessed" } : staged),
      };
      if (!accounts || result.accounts || result.error !== null) return result;
      return { ...result, accounts: simulateTransfers(chain, transaction, accounts) };
    },
    send: async () => {},
    estimateSendMs: () => chain.estimateSendMs(),
    getSlotTime: () => ({ newestSlot: chain.slot(), slotMs: chain.slotMs }),
    readSignatureStates: async (signatures, searchHistory) => ({
      slot: chain.slot(),
      states: signatures.map((signature) => chain.getStatus(signature, searchHistory)),
    }),
    async readSignatures(address, { limit, before, until, minSlot = 0 }) {
      if (minSlot > chain.slot()) throw new AppError("upstream_unavailable");
      const allEntries = chain.history.get(address) ?? [];
      const untilIndex = until === undefined ? -1 : allEntries.findIndex(({ signature }) => signature === until);
      const entries = untilIndex < 0 ? allEntries : allEntries.slice(0, untilIndex);
      const startIndex = before === undefined ? 0 : entries.findIndex(({ signature }) => signature === before) + 1;
      return before !== undefined && startIndex === 0 ? [] : entries.slice(startIndex, startIndex + limit);
    },
    readTransaction: async (signature) => chain.transactions.get(signature) ?? null,
    invalidate: () => {},
  };
}

/** Returns a plan at the staged prices, which pays as the sandbox's venue does. */
export function createSwapPlan(
  request: SwapRequest,
  leadingInstructions: InstructionLike[] = [],
  solUsd = PRICES_USD.SOL,
): SwapPlan {
  const { amount: inputAmount, slippageBps, inputMint, outputMint } = request;
  const taker = request.taker ?? QUOTE_TAKER;
  const [sold, symbol] = [findAssetByMint(inputMint)!, findAssetByMint(outputMint) ?? "BTC"];
  const { decimals } = ASSETS[symbol];
  const usd = { ...PRICES_USD, SOL: solUsd };
  const coins = (Number(inputAmount) / 10 ** ASSETS[sold].decimals) * (usd[sold] / usd[symbol]);
  const outputAmount = BigInt(Math.floor(coins * 10 ** decimals)) || 1n;
  const destination = deriveAssociatedTokenAddress(taker, outputMint);
  const bought = { mint: outputMint, amount: outputAmount, decimals };
  const transferAccounts = {
    source: deriveAssociatedTokenAddress(taker, inputMint),
    destination: VENUE_TOKENS,
    authority: taker,
  };
  const soldTokens = { mint: inputMint, amount: inputAmount, decimals: ASSETS[sold].decimals };
  return {
    inputAmount,
    outputAmount,
    minimumOutputAmount: (outputAmount * BigInt(10_000 - slippageBps)) / 10_000n || 1n,
    slippageBps,
    priceImpact: 0.001,
    route: ["Staged"],
    instructions: [
      ...leadingInstructions,
      buildCreateAssociatedTokenAccount({ payer: taker, owner: taker, mint: outputMint }),
      sold === "SOL"
        ? buildSystemTransfer(taker, VENUE, inputAmount)
        : buildTransferChecked({ ...transferAccounts, ...soldTokens }),
      buildTransferChecked({ source: ESCROW, destination, authority: taker, ...bought }),
      ...(symbol === "SOL" ? [buildCloseAccount({ account: destination, destination: taker, owner: taker })] : []),
    ],
    lookupTables: {},
  };
}

/** Returns a plan with half of the output. */
export function halveOutput(plan: SwapPlan): SwapPlan {
  const outputAmount = plan.outputAmount / 2n;
  return { ...plan, outputAmount, minimumOutputAmount: (outputAmount * 99n) / 100n };
}

const VENUE = toTestWallet("venue").address;
const VENUE_TOKENS = toTestWallet("venue tokens").address;
const ESCROW = toTestWallet("escrow").address;
