/**
 * The parsed `REDIS_URL`. With sentinels, `host` is not a hostname but the name under which the sentinels know the
 * primary.
 */
export interface RedisAddress {
  host: string;
  port: number;
  /** A Unix socket, which wins over host and port. */
  path?: string;
  username?: string;
  password?: string;
  db: number;
  tls: boolean;
}

/** A host of a cluster, or a sentinel. */
export type RedisHost = Pick<RedisAddress, "host" | "port" | "username" | "password">;

export interface RedisServers {
  address: RedisAddress;
  /** Sentinels that name the primary. Empty if `address` is the primary. */
  sentinels: RedisHost[];
  /** More nodes of the cluster that `address` belongs to. Empty without a cluster. */
  cluster: RedisHost[];
}

/** Settings of a store that several instances share. `timeoutMs` is the time limit of one call. */
export type SharedStore =
  | { kind: "rest"; url: string; token: string; timeoutMs: number }
  | { kind: "redis"; servers: RedisServers; prefix: string; waitReplicas: number; timeoutMs: number };

const URL_FAULT =
  "is not a redis:, rediss: or unix: URL (a password with special characters must be percent-encoded there)";
const QUERY_FAULT =
  "has a part after the ? that does not count there; a password stands as redis://<user>:<password>@<host>";

/**
 * Parses `redis://[user][:password@]host[:port][/db]`, the same with `rediss:` for TLS, or
 * `unix:///path[?db=…&username=…&password=…]`.
 * @returns the fault as text when it is none of these. It never repeats a part of the URL, which may hold a password
 */
export function parseRedisUrl(text: string): RedisAddress | string {
  if (!URL.canParse(text)) return URL_FAULT;
  const url = new URL(text);
  const isSocket = url.protocol === "unix:";
  if ([...url.searchParams.keys()].some((name) => !isSocket || !SOCKET_OPTIONS.includes(name)) || url.hash)
    return QUERY_FAULT;
  const db = isSocket ? (url.searchParams.get("db") ?? "") : url.pathname.slice(1);
  if (!/^\d{0,5}$/.test(db)) return URL_FAULT;
  if (isSocket) {
    const [username, password] = ["username", "password"].map((name) => url.searchParams.get(name) ?? undefined);
    const path = decodePart(url.pathname);
    if (!path || path === "/") return URL_FAULT;
    return { host: "", port: 0, path, db: Number(db), tls: false, username, password };
  }
  const host = readRedisHost(url, 6379);
  if (!host || !/^rediss?:$/.test(url.protocol)) return URL_FAULT;
  return { ...host, db: Number(db), tls: url.protocol === "rediss:" };
}

const SOCKET_OPTIONS = ["db", "username", "password"];

/** Parses `[user][:password@]host[:port]`, separated by commas. @returns the fault as text when an entry is wrong */
export function parseRedisHosts(text: string, defaultPort: number): RedisHost[] | string {
  const parts = text.split(",").map((part) => part.trim());
  const hosts = parts.filter(Boolean).map((part) => parseHost(part, defaultPort));
  const faultIndex = hosts.indexOf(null);
  // The fault names the position only, because an entry may hold a password.
  return faultIndex >= 0 ? `entry ${faultIndex + 1} is not host:port` : hosts.filter((host) => host !== null);
}

function parseHost(text: string, defaultPort: number): RedisHost | null {
  const url = URL.canParse(`redis://${text}`) ? new URL(`redis://${text}`) : null;
  return url && url.pathname + url.search + url.hash === "" ? readRedisHost(url, defaultPort) : null;
}

/** Reads host, port and credentials of a URL. Returns null if the host is missing or a part cannot be decoded. */
function readRedisHost({ hostname, port, username, password }: URL, defaultPort: number): RedisHost | null {
  const [user, decodedPassword] = [decodePart(username), decodePart(password)];
  if (hostname === "" || user === null || decodedPassword === null) return null;
  // A URL writes an IPv6 address in brackets. A connection takes it without them.
  const host = hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    port: Number(port) || defaultPort,
    username: user || undefined,
    password: decodedPassword || undefined,
  };
}

/** Decodes a part of a URL. Returns null if a percent sign does not begin an encoded character. */
function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

export interface StoreSettings {
  KV_REST_API_URL?: string;
  KV_REST_API_TOKEN?: string;
  KV_TIMEOUT_MS?: number;
  REDIS_URL?: RedisAddress;
  REDIS_SENTINELS: RedisHost[];
  REDIS_CLUSTER: RedisHost[];
  REDIS_PREFIX: string;
  REDIS_WAIT_REPLICAS: number;
}

/** Returns one message for each contradiction between the settings. */
export function listSharedStoreFaults(env: StoreSettings): string[] {
  const { REDIS_URL: url, REDIS_SENTINELS: sentinels, REDIS_CLUSTER: cluster } = env;
  const faults: string[] = [];
  if (url && env.KV_REST_API_URL) faults.push("REDIS_URL: set only one of REDIS_URL and KV_REST_API_URL");
  if (!url && sentinels.length + cluster.length + env.REDIS_WAIT_REPLICAS > 0)
    faults.push("REDIS_URL: required with REDIS_SENTINELS, REDIS_CLUSTER and REDIS_WAIT_REPLICAS");
  if (sentinels.length > 0 && cluster.length > 0)
    faults.push("REDIS_CLUSTER: set only one of REDIS_SENTINELS and REDIS_CLUSTER");
  if (url?.path && sentinels.length + cluster.length > 0)
    faults.push("REDIS_URL: a Unix socket has no sentinels and no cluster");
  if (url && url.db > 0 && cluster.length > 0) faults.push("REDIS_URL: a cluster has only database 0");
  return faults;
}

/** Default time limits of one call of the shared store, ms. A call over HTTP crosses the internet. */
const REDIS_TIMEOUT_MS = 500;
const REST_TIMEOUT_MS = 2_000;

/** Returns the shared store that the settings name. Returns null if they name none. */
export function toSharedStore(env: StoreSettings): SharedStore | null {
  const { REDIS_URL, KV_REST_API_URL: url, KV_REST_API_TOKEN: token = "", KV_TIMEOUT_MS: timeoutMs } = env;
  if (url) return { kind: "rest", url, token, timeoutMs: timeoutMs ?? REST_TIMEOUT_MS };
  if (!REDIS_URL) return null;
  return {
    kind: "redis",
    servers: { address: REDIS_URL, sentinels: env.REDIS_SENTINELS, cluster: env.REDIS_CLUSTER },
    prefix: env.REDIS_PREFIX,
    waitReplicas: env.REDIS_WAIT_REPLICAS,
    timeoutMs: timeoutMs ?? REDIS_TIMEOUT_MS,
  };
}
