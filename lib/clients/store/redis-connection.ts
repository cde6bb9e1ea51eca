import { Cluster, type CommonRedisOptions, Redis } from "ioredis";
import type { RedisServers } from "../../domain/shared-store-settings";
import { AppError } from "../../errors";
import type { Random } from "../../ports/random";
import type { Breaker } from "../http/breaker";
import { createRefusalError, createStoreError, describeRefusal, withTimeout } from "./store-failure";
import { STORE_SCRIPTS } from "./store-scripts";

interface RedisConnectionOptions {
  servers: RedisServers;
  timeoutMs: number;
  /** Absent: calls wait for a hanging server every time. */
  breaker?: Breaker;
  random: Random;
}

export type RedisConnection = ReturnType<typeof connectRedis>;

/** The longest pause before the first reconnect, ms. Each further pause is at most twice as long. */
const FIRST_RECONNECT_MS = 50;
/** The longest pause before any reconnect, ms. */
const MAX_RECONNECT_MS = 2_000;
/** How often a cluster's client reads which node serves which keys, ms. Redirects make it read earlier. */
const CLUSTER_REFRESH_MS = 5_000;

/** Opens a connection that reconnects until `close`. Calls that find it closed fail at once. */
export function connectRedis(options: RedisConnectionOptions) {
  const { timeoutMs, breaker } = options;
  const client = createRedisClient(options);
  /** Why the last attempt to connect failed; null while connected. A call on a closed connection does not say it. */
  let connectError: Error | null = null;
  client.on("error", (error: Error & { lastNodeError?: Error }) => {
    connectError = error.lastNodeError ?? error;
  });
  client.on("ready", () => {
    connectError = null;
  });
  let isClosed = false;
  // A failover that is announced in the middle of a reconnect makes ioredis give up (6.0.0).
  client.on("end", () => {
    setTimeout(() => {
      if (!isClosed) client.connect().catch(() => {});
    }, FIRST_RECONNECT_MS);
  });
  const firstAttempt = waitForFirstAttempt(client);
  const runWhenReady = async <T>(command: (client: Redis | Cluster) => Promise<T>) => {
    // Right after the start, calls wait for the first attempt to connect.
    if (client.status !== "ready") await firstAttempt;
    if (client.status !== "ready" && connectError) throw connectError;
    return command(client);
  };
  return {
    /**
     * Runs one command within `timeoutMs` and never repeats it. After upstream_timeout or upstream_unavailable it may
     * or may not have happened.
     * @throws AppError upstream_*, without text of the server
     */
    runCommand<T>(command: (client: Redis | Cluster) => Promise<T>): Promise<T> {
      const tryOnce = () =>
        withTimeout(runWhenReady(command), timeoutMs).catch((cause) => Promise.reject(toStoreError(cause)));
      return breaker ? breaker.run(tryOnce) : tryOnce();
    },
    isCluster: client instanceof Cluster,
    /** Returns the servers that hold data: all primaries of a cluster, or the one server. */
    listPrimaries: (): Redis[] => (client instanceof Cluster ? client.nodes("master") : [client]),
    close(): void {
      isClosed = true;
      client.disconnect();
    },
  };
}

/** Resolves once the client, and every node of a cluster, has tried to connect. */
async function waitForFirstAttempt(client: Redis | Cluster): Promise<void> {
  if (client.status !== "ready")
    await new Promise<unknown>((resolve) => {
      for (const event of ["ready", "close", "end"]) client.once(event, resolve);
    });
  if (client instanceof Cluster) await Promise.all(client.nodes("master").map(waitForFirstAttempt));
}

function createRedisClient({ servers, timeoutMs, random }: RedisConnectionOptions): Redis | Cluster {
  const { address, sentinels, cluster } = servers;
  const { username, password, db, tls, ...endpoint } = address;
  const computeReconnectMs = (attempt: number) => {
    const longestMs = Math.min(MAX_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** Math.min(attempt - 1, 10));
    return longestMs * (1 - random.bytes(1)[0]! / 512);
  };
  const sharedOptions: CommonRedisOptions & { tls?: object } = {
    username,
    password,
    db,
    ...(tls && { tls: {} }),
    connectTimeout: timeoutMs,
    // Drops the connection to a server that hangs. `runCommand` fails earlier, so this ends no call.
    socketTimeout: 2 * timeoutMs,
    // A write that is repeated after a lost answer could undo a newer one.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A primary that has become a replica refuses all calls. The new primary is found by connecting again.
    reconnectOnError: (error) => error.message.includes("READONLY"),
  };
  if (cluster.length > 0) {
    const client = new Cluster([endpoint, ...cluster], {
      redisOptions: sharedOptions,
      scripts: SCRIPT_DEFINITIONS,
      enableOfflineQueue: false,
      clusterRetryStrategy: computeReconnectMs,
      clusterNodeRetryStrategy: computeReconnectMs,
      slotsRefreshTimeout: timeoutMs,
      slotsRefreshInterval: CLUSTER_REFRESH_MS,
      maxRedirections: 3,
      // 0 turns off the repetition of commands whose connection has closed.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
    });
    // By default a node's first call connects to it, and fails.
    return client.on("+node", (node: Redis) => void node.connect().catch(() => {}));
  }
  const serverOptions = {
    ...sharedOptions,
    scripts: SCRIPT_DEFINITIONS,
    enableOfflineQueue: false,
    retryStrategy: computeReconnectMs,
  };
  if (sentinels.length === 0) return new Redis({ ...serverOptions, ...endpoint });
  return new Redis({
    ...serverOptions,
    name: address.host,
    sentinels,
    sentinelUsername: sentinels[0]!.username,
    sentinelPassword: sentinels[0]!.password,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelCommandTimeout: timeoutMs,
    sentinelRetryStrategy: computeReconnectMs,
    sentinelReconnectStrategy: computeReconnectMs,
    // Leaves a demoted primary as soon as a sentinel announces the new one.
    failoverDetector: true,
  });
}

const SCRIPT_DEFINITIONS = Object.fromEntries(Object.entries(STORE_SCRIPTS).map(([name, lua]) => [name, { lua }]));

/** Matches the error replies of a server that cannot serve a valid call now. */
const UNAVAILABLE_PATTERN =
  /\b(READONLY|LOADING|MASTERDOWN|NOREPLICAS|OOM|MISCONF|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|BUSY)\b/;

function toStoreError(cause: unknown): Error {
  if (cause instanceof AppError) return cause;
  const { name, message, code } = cause as NodeJS.ErrnoException;
  const refusal = describeRefusal(message);
  if (refusal) return createRefusalError(refusal);
  // Error replies may quote a command with its values, so only their kind is logged.
  if (name !== "ReplyError") return createStoreError("upstream_unavailable", code ?? "is not connected");
  const replyKind = UNAVAILABLE_PATTERN.exec(message)?.[0];
  return createStoreError(replyKind ? "upstream_unavailable" : "upstream_invalid", replyKind ?? "returned an error");
}
