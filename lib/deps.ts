import { runWithTrace } from "./clients/http/send-request";
import { createJupiter } from "./clients/jupiter/jupiter";
import { cacheQuotes } from "./clients/jupiter/quotes";
import { createHermes } from "./clients/prices/hermes";
import { createPriceFeed } from "./clients/prices/price-feed";
import { createSharedPriceReader } from "./clients/prices/shared-prices";
import { createStoredPrices } from "./clients/prices/stored-prices";
import { createBackground } from "./clients/process/background";
import { createKeyUsageCounter, type KeyUsageCounter } from "./clients/process/key-usage";
import { observePorts } from "./clients/process/metric-gauges";
import { collectNodeMetrics, countRequest, registry } from "./clients/process/metrics";
import { createNotices, type Notices } from "./clients/process/notices";
import { createSharedSecretReader } from "./clients/process/shared-secret";
import { createStaticKeys, type StaticKeys } from "./clients/process/static-keys";
import { createStoreWatch } from "./clients/process/store-watch";
import { systemClock, systemRandom } from "./clients/process/system";
import { createUpstreamMonitor, type UpstreamMonitor } from "./clients/process/upstream-monitor";
import { createVerifier } from "./clients/process/verifier";
import { createBuckets, withBucket } from "./clients/quota/bucket";
import { type MeteredPorts, meterPorts, type UpstreamPort } from "./clients/quota/meter-ports";
import { createPlaces } from "./clients/quota/places";
import { bindQuotaUser, SERVICE_ITSELF } from "./clients/quota/quota-port";
import { createCallReserver } from "./clients/quota/tokens";
import { createFaucet, createSandboxPrices } from "./clients/sandbox/sandbox";
import { createMeasures } from "./clients/solana/measures";
import { createNodes, MAINNET_GENESIS, type Nodes } from "./clients/solana/nodes/nodes";
import { createPriorityFees } from "./clients/solana/priority-fees";
import { createSignatureWatch } from "./clients/solana/signature-watch";
import { createSolanaRpc } from "./clients/solana/solana-rpc";
import { openLmdbStore } from "./clients/store/kv-lmdb";
import { checkLmdbFile } from "./clients/store/kv-lmdb-check";
import { createSharedStore } from "./clients/store/kv-shared";
import { openSharedStore } from "./clients/store/open-shared-store";
import { createKvRateLimiter, createMemoryRateLimiter } from "./clients/store/rate-limiter";
import { createReadingStore } from "./clients/store/reading-store";
import {
  chooseCallLimits,
  type Env,
  EnvError,
  findDeployment,
  getStoreFolder,
  listReadUrls,
  listUnknownNames,
  parseEnv,
  readProcessEnv,
  toSharedStore,
} from "./env";
import type { Deps } from "./ports/deps";
import type { KvStore } from "./ports/kv-store";
import type { RateLimiter } from "./ports/rate-limiter";
import type { SolanaRpc } from "./ports/solana-rpc";
import type { UpstreamReport } from "./ports/upstream-report";

export { findProgramFolder } from "./clients/process/program-folder";
export type { MeteredPorts } from "./clients/quota/meter-ports";
export { createMemoryRateLimiter } from "./clients/store/rate-limiter";
export { type Env, parseEnv, readProcessEnv } from "./env";

const UPSTREAM_TIMEOUT_MS = 5_000;

/** Source of the numbers: Jupiter's limits per organisation, counted over 60 s. */
const NO_JUPITER_KEY_NOTICE =
  "JUPITER_API_KEY is not set: without a key, Jupiter answers 30 calls a minute for prices, quotes and swaps together; a free key allows 60";

export interface SandboxHandle {
  url: string;
  feeCollectors: string[];
}

export interface Runtime {
  env: Env;
  deps: Deps;
  /** Returns a copy of `deps` for one request that measures how long the request waits for upstreams. */
  meterRequest(): MeteredPorts;
  /** Shared by all instances if the store is shared. */
  limiter: RateLimiter;
  /** Counts in this process alone. It is the fallback when the shared limiter fails. */
  localLimiter: RateLimiter;
  nodes: Nodes;
  staticKeys: StaticKeys;
  keyUsage: KeyUsageCounter;
  /** Null when METRICS_PORT is not set. */
  metrics: ReturnType<typeof startMetrics> | null;
  notices: Notices;
  /** Null for the embedded store. */
  storeChecks: Pick<ReturnType<typeof openSharedStore>, "probe" | "findEvictingPolicy"> | null;
  runWithTrace: typeof runWithTrace;
  /** Makes `deps.isEnding` return true from now on, and ends the calls that wait for an event. */
  beginShutdown(): void;
}

// The runtime is on globalThis, because server.ts and Next may each load this module. The process must have one store,
// cache and limiter.
const globalState = globalThis as { [key: symbol]: unknown };
const RUNTIME_KEY = Symbol.for("roundup.runtime");

/**
 * Configures the process before its first request.
 * @param listener "server" if server.ts receives the requests, which stamps the socket's address; "next" if Next does
 * @throws {EnvError} when the configuration or the embedded store is not usable
 */
export function startRuntime(listener: "server" | "next", sandbox?: SandboxHandle): Runtime {
  const env = parseEnv(readProcessEnv());
  if (listener === "next" && (env.CLIENT_IP.kind === "socket" || "peers" in env.CLIENT_IP)) {
    throw new EnvError(
      "CLIENT_IP: Next alone does not show the socket's address; set `vercel` or `proxy:<hops>`, without networks",
    );
  }
  const runtime = createRuntime(env, sandbox);
  globalState[RUNTIME_KEY] = runtime;
  if (env.NETWORK === "mainnet-beta" && !env.JUPITER_API_KEY) runtime.notices.send(NO_JUPITER_KEY_NOTICE);
  for (const name of listUnknownNames(readProcessEnv()))
    runtime.notices.send(`${name} is set, but it is not a setting of this service.`);
  return runtime;
}

/** Reads API_KEYS_FILE again. An unusable or empty file changes no keys. */
export function reloadStaticKeys({ staticKeys, notices }: Pick<Runtime, "staticKeys" | "notices">) {
  try {
    const { API_KEYS: keys, API_KEYS_FILE: file } = parseEnv(readProcessEnv());
    // A file without a key is more likely a mistake than a wish to refuse every caller.
    if (file && keys.length === 0) throw new EnvError("API_KEYS_FILE: the file holds no key.");
    if (!file) return notices.send("There is nothing to read again: API_KEYS_FILE is not set.");
    staticKeys.replace(keys);
    const names = keys.map(({ name }) => name ?? "unnamed").join(", ");
    notices.send(`API_KEYS_FILE was read again. Its keys: ${names}.`);
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    notices.send(`The static keys stay as they were. ${error.message}`);
  }
}

/** Returns the process's runtime. Starts it at the first call if Next serves the requests. @throws as startRuntime */
export function getRuntime(): Runtime {
  return (globalState[RUNTIME_KEY] as Runtime | undefined) ?? startRuntime("next");
}

function createRuntime(env: Env, sandbox: SandboxHandle | undefined): Runtime {
  const chainSettings = chooseChainSettings(env, sandbox);
  const [clock, random] = [systemClock, systemRandom];
  const notices = createNotices();
  const monitor = createUpstreamMonitor({ clock, notify: notices.send });
  const { jupiter, hermes } = createMarketClients(env, chainSettings.jupiterUrl, monitor);
  const tools = { clock, random, notify: notices.send };
  const nodes = createNodes({ ...chainSettings.nodes, ...tools, timeoutMs: UPSTREAM_TIMEOUT_MS });
  const { kv, shared, reserveShared, limiter, localLimiter, storeChecks } = openStore(env, monitor);
  const openReadings = (source: string) => createReadingStore(kv, { network: env.NETWORK, source });
  const marketReadings = openReadings(env.NETWORK === "sandbox" ? "sandbox" : new URL(chainSettings.jupiterUrl).host);
  const buckets = createBuckets({ ...chooseCallLimits(env), clock, reserveShared });
  const limitedJupiter = withBucket(buckets.jupiter, jupiter);
  const sharedChain = shared && { kv: openReadings("nodes"), random };
  const quotaRpc = createSolanaRpc({ nodes, clock, bucket: buckets.rpc, shared: sharedChain });
  const rpc = bindQuotaUser(SERVICE_ITSELF, quotaRpc);
  const background = createBackground((error) => console.error(error));
  const sandboxRpc =
    env.NETWORK === "sandbox" ? { url: chainSettings.nodes.readUrls[0]!, timeoutMs: UPSTREAM_TIMEOUT_MS, clock } : null;
  const priceOptions = { clock, hermes, bounds: env.PRICE_BOUNDS };
  // Each day's record names its own sources.
  const storedPrices = createStoredPrices({ ...priceOptions, kv: openReadings("price-history"), background });
  const sourceOptions = sandboxRpc ? ({ source: "sandbox" } as const) : { onRead: storedPrices.recordPrices };
  const shareReading = shared && createSharedPriceReader({ kv: marketReadings, clock });
  const feedOptions = { ...priceOptions, ...sourceOptions, kv: marketReadings, notify: notices.send, shareReading };
  const prices = createPriceFeed({ ...feedOptions, jupiter: limitedJupiter });
  const swaps = cacheQuotes({ market: limitedJupiter, clock, store: shared && marketReadings });
  // The waits for prices, swaps and nodes are always measured.
  const otherMeteredPorts: UpstreamPort[] = ["priceHistory", "priorityFees", "signatureWatch", "faucet"];
  if (shared) otherMeteredPorts.push("kv");
  const places = createPlaces(buckets.cpu);
  let isEnding = false;
  const deps: Deps = {
    network: env.NETWORK,
    deployment: findDeployment(env)!,
    feeCollectors: chainSettings.feeCollectors,
    clock,
    random,
    kv,
    pause: env.PAUSE.length > 0 ? { parts: env.PAUSE, reason: env.PAUSE_REASON ?? null } : null,
    prices: bindQuotaUser(SERVICE_ITSELF, prices),
    priceHistory: sandboxRpc ? createSandboxPrices(sandboxRpc) : storedPrices,
    priceBounds: env.PRICE_BOUNDS,
    swaps: bindQuotaUser(SERVICE_ITSELF, swaps),
    rpc,
    priorityFees: choosePriorityFees(env, rpc),
    measures: createMeasures({ clock, kv: sharedChain?.kv }),
    maxPriorityFeeLamports: BigInt(env.PRIORITY_FEE_MAX_LAMPORTS),
    reportUpstreams: () => [...nodes.report().map(toUpstreamReport), ...monitor.report()],
    signatureWatch: createSignatureWatch({ rpc, clock }),
    background,
    storeWatch: createStoreWatch({ kv, clock }),
    places: bindQuotaUser(SERVICE_ITSELF, places),
    verifier: createVerifier(),
    readSignInSecret: createSharedSecretReader({ kv, random, clock }),
    isEnding: () => isEnding,
    faucet: sandboxRpc && createFaucet(sandboxRpc),
  };
  return {
    env,
    deps,
    meterRequest: meterPorts(deps, otherMeteredPorts, { prices, swaps, rpc: quotaRpc, places }),
    limiter,
    localLimiter,
    nodes,
    staticKeys: createStaticKeys(env.API_KEYS),
    keyUsage: createKeyUsageCounter({ kv, clock }),
    metrics: env.METRICS_PORT === null ? null : startMetrics(deps),
    notices,
    storeChecks,
    runWithTrace,
    beginShutdown() {
      isEnding = true;
      deps.storeWatch.close();
    },
  };
}

/** The sandbox has no fee market. */
function choosePriorityFees(env: Env, rpc: SolanaRpc) {
  if (env.NETWORK === "sandbox" || env.PRIORITY_FEE_MAX_LAMPORTS === 0) return null;
  return createPriorityFees({ rpc, percentile: env.PRIORITY_FEE_PERCENTILE, clock: systemClock });
}

function startMetrics(deps: Deps) {
  collectNodeMetrics();
  observePorts(deps, registry);
  return { countRequest, read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }) };
}

function createMarketClients(env: Env, jupiterUrl: string, monitor: UpstreamMonitor) {
  const clientOptions = { timeoutMs: UPSTREAM_TIMEOUT_MS, clock: systemClock };
  const { JUPITER_API_KEY: apiKey, PRIORITY_FEE_PERCENTILE: priorityFeePercentile } = env;
  const jupiter = createJupiter({ ...clientOptions, baseUrl: jupiterUrl, apiKey, priorityFeePercentile });
  const hermes = env.HERMES_API_KEY
    ? monitor.watch("hermes", createHermes({ ...clientOptions, baseUrl: env.HERMES_URL, apiKey: env.HERMES_API_KEY }))
    : undefined;
  return { jupiter: monitor.watch("jupiter", jupiter), hermes };
}

const toUpstreamReport = ({ use, position, ...report }: ReturnType<Nodes["report"]>[number]): UpstreamReport => ({
  name: `${use} node ${position}`,
  ...report,
});

/** Opens the store and its rate limiter: shared by several instances if a URL is set, otherwise embedded. */
function openStore(env: Env, monitor: UpstreamMonitor) {
  const localLimiter = createMemoryRateLimiter(systemClock);
  const store = toSharedStore(env);
  if (!store) {
    const kv = openEmbeddedStore(getStoreFolder(env), monitor);
    return { kv, shared: undefined, reserveShared: undefined, limiter: localLimiter, localLimiter, storeChecks: null };
  }
  const { commands, ...storeChecks } = openSharedStore(store, { clock: systemClock, random: systemRandom });
  const kv = monitor.watch("store", createSharedStore(commands));
  const limiter = createKvRateLimiter(commands);
  return { kv, shared: kv, reserveShared: createCallReserver(commands), limiter, localLimiter, storeChecks };
}

function openEmbeddedStore(path: string, monitor: UpstreamMonitor): KvStore {
  try {
    checkLmdbFile(path);
    const store = openLmdbStore({ path, clock: systemClock });
    // Only pings are watched. Watching every call would add a promise to each request.
    return { ...store, ...monitor.watch("store", { ping: store.ping }) };
  } catch (error) {
    throw createUnusableStoreError(path, error);
  }
}

export function createUnusableStoreError(path: string, cause: unknown): EnvError {
  const reason = cause instanceof Error ? cause.message : "unknown";
  return new EnvError(`DATA_DIR: the store in ${path} cannot be used: ${reason}; not started.`, { cause });
}

/** Chooses the nodes, the aggregator's URL and the fee collectors. @throws {EnvError} when the sandbox's are not set */
function chooseChainSettings(env: Env, sandbox: SandboxHandle | undefined) {
  const { SOLANA_SEND_URLS: sendUrls, SENDS_PER_SECOND: sendsPerSecond } = env;
  if (env.NETWORK === "mainnet-beta") {
    const nodes = { readUrls: listReadUrls(env), sendUrls, sendsPerSecond, genesisHash: MAINNET_GENESIS };
    return { nodes, jupiterUrl: env.JUPITER_URL, feeCollectors: env.FEE_COLLECTORS };
  }
  const url = sandbox?.url ?? env.SANDBOX_URL;
  const feeCollectors = sandbox?.feeCollectors ?? env.FEE_COLLECTORS;
  if (!url || feeCollectors.length === 0) {
    throw new EnvError(
      "SANDBOX_URL, FEE_COLLECTORS: behind Next alone both must point at a sandbox that runs; `npm run sandbox` prints them",
    );
  }
  const nodes = { readUrls: [url], sendUrls: [], sendsPerSecond, genesisHash: null };
  return { nodes, jupiterUrl: url, feeCollectors };
}
