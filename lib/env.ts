import { readFileSync } from "node:fs";
import { z } from "zod";
import { MIN_STATIC_KEY_LENGTH } from "./domain/api-key";
import { FEE_COLLECTOR_COUNT } from "./domain/fee-collector";
import { isPauseReason, PAUSABLE_ACTIONS, parsePausableActions } from "./domain/pause";
import { parsePriceBounds } from "./domain/prices/price-bounds";
import {
  listSharedStoreFaults,
  parseRedisHosts,
  parseRedisUrl,
  type SharedStore,
  toSharedStore,
} from "./domain/shared-store-settings";
import { SANDBOX_DEPLOYMENT } from "./domain/signed-texts";
import { parseStaticKeys } from "./domain/static-keys";
import { MAX_PRIORITY_FEE_LAMPORTS } from "./solana/compute-budget";
import { findWalletAddressFault } from "./solana/ed25519";

/**
 * Source of the client's address: the socket, whose address server.ts stamps; Vercel's header; or the n-th entry of
 * X-Forwarded-For from the right.
 */
export type ClientIpSource = { kind: "socket" } | { kind: "vercel" } | { kind: "proxy"; hops: number };

/** A text, or undefined if the variable is empty or not set. */
const optionalText = z.preprocess((value) => (value === "" ? undefined : value), z.string().optional());
const commaList = optionalText.transform((text) =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);
const defineWholeNumber = (fallback: number, max: number) =>
  optionalText.transform((text) => Number(text ?? fallback)).pipe(z.int().min(0).max(max));
const definePort = (fallback: number) => defineWholeNumber(fallback, 65_535);
/** A number, or `fallback` for a variable that is not set. */
const defineNumber = <Fallback extends null | undefined>(fallback: Fallback) =>
  optionalText.transform((text): number | Fallback => (text === undefined ? fallback : Number(text)));
/** A number of calls per second, or undefined for a variable that is not set. */
const defineCallsPerSecond = (min: number) => defineNumber(undefined).pipe(z.number().min(min).max(100_000).optional());
const httpUrl = z.url({ protocol: /^https?$/ });
const optionalUrl = optionalText.pipe(httpUrl.optional());
const urlList = commaList.transform((parts, ctx): string[] => {
  // The message names the position only, because an address may contain a key.
  const wrongIndex = parts.findIndex((part) => !httpUrl.safeParse(part).success);
  if (wrongIndex >= 0) ctx.addIssue({ code: "custom", message: `address ${wrongIndex + 1} is not an http(s) URL` });
  return parts;
});
/** A setting that `parse` reads. `parse` returns a text for a wrong value, which describes the fault. */
const defineParsed = <T extends object | undefined>(parse: (text: string | undefined) => T | string) =>
  optionalText.transform((text, ctx): T => {
    const value = parse(text);
    if (typeof value !== "string") return value;
    ctx.addIssue({ code: "custom", message: value });
    return z.NEVER;
  });
const optionalOrigin = optionalUrl.transform((text) => text && new URL(text).origin);

/** The settings of the store, which the web process and the operator command share. */
const storeSettings = {
  KV_REST_API_URL: optionalUrl,
  KV_REST_API_TOKEN: optionalText,
  REDIS_URL: defineParsed((text) => (text === undefined ? undefined : parseRedisUrl(text))),
  REDIS_SENTINELS: defineParsed((text) => parseRedisHosts(text ?? "", 26_379)),
  REDIS_CLUSTER: defineParsed((text) => parseRedisHosts(text ?? "", 6_379)),
  REDIS_PREFIX: optionalText.pipe(
    z
      .string()
      .regex(/^[\w:.-]{1,64}$/, "has other characters than letters, digits and :._-")
      .default("roundup:"),
  ),
  REDIS_WAIT_REPLICAS: defineWholeNumber(0, 10),
  KV_TIMEOUT_MS: defineNumber(undefined).pipe(z.int().min(100).max(60_000).optional()),
};

const EnvSchema = z.object({
  NETWORK: optionalText
    .pipe(z.enum(["sandbox", "mainnet-beta", "mainnet"]).default("sandbox"))
    .transform((name) => (name === "mainnet" ? "mainnet-beta" : name)),
  HOST: optionalText.pipe(z.string().default("127.0.0.1")),
  PORT: definePort(3000),
  DATA_DIR: optionalText.pipe(z.string().default(".data")),
  METRICS_PORT: defineNumber(null).pipe(z.int().min(0).max(65_535).nullable()),
  LOG_LEVEL: optionalText.pipe(z.enum(["debug", "info", "warn", "error", "silent"]).default("info")),
  CLIENT_IP: defineParsed((text): ClientIpSource | string => {
    if (text === undefined) return { kind: "socket" };
    if (text === "vercel") return { kind: "vercel" };
    const hops = /^proxy:([1-9])$/.exec(text)?.[1];
    return hops ? { kind: "proxy", hops: Number(hops) } : "is neither `vercel` nor `proxy:<1-9>`";
  }),
  DRAIN_SECONDS: defineWholeNumber(10, 60),
  PUBLIC_URL: optionalUrl,
  WALLET_ORIGIN: optionalOrigin,
  SOLANA_RPC_URL: optionalUrl,
  SOLANA_RPC_URLS: urlList,
  SOLANA_SEND_URLS: urlList,
  SENDS_PER_SECOND: defineNumber(null).pipe(z.number().min(0.1).max(1000).nullable()),
  RPC_CALLS_PER_SECOND: defineCallsPerSecond(5),
  JUPITER_URL: optionalUrl.default("https://api.jup.ag"),
  JUPITER_API_KEY: optionalText,
  JUPITER_CALLS_PER_SECOND: defineCallsPerSecond(0.1),
  PRIORITY_FEE_PERCENTILE: defineWholeNumber(50, 100),
  PRIORITY_FEE_MAX_LAMPORTS: defineWholeNumber(Number(MAX_PRIORITY_FEE_LAMPORTS), Number(MAX_PRIORITY_FEE_LAMPORTS)),
  HERMES_URL: optionalUrl.default("https://pyth.dourolabs.app/hermes"),
  HERMES_API_KEY: optionalText,
  PRICE_BOUNDS: defineParsed((text) => parsePriceBounds(commaList.parse(text))),
  FEE_COLLECTORS: commaList,
  PAUSE: defineParsed(
    (text) =>
      parsePausableActions(commaList.parse(text)) ?? `names something other than ${PAUSABLE_ACTIONS.join(" and ")}`,
  ),
  PAUSE_REASON: optionalText.refine(
    (text) => text === undefined || isPauseReason(text),
    "is too long or not printable",
  ),
  API_KEYS: defineParsed((text) => parseStaticKeys(text ?? "")),
  API_KEYS_FILE: optionalText,
  ...storeSettings,
  SANDBOX_URL: optionalUrl,
  SANDBOX_PORT: definePort(8899),
  SANDBOX_PRICES: optionalText.pipe(z.enum(["fixed", "walk"]).default("walk")),
  VERCEL: optionalText,
});

export type Env = z.infer<typeof EnvSchema>;

type Variables = Record<string, string | undefined>;

export { toSharedStore } from "./domain/shared-store-settings";

/** An unusable configuration. The message names the variable and the reason, but never the value. */
export class EnvError extends Error {}

/** Lists the faults that zod's checks of single settings do not find, one text each. */
function listCrossFaults(env: Env): string[] {
  const faults: string[] = [];
  if (env.API_KEYS.some(({ key }) => key.length < MIN_STATIC_KEY_LENGTH)) {
    faults.push(`API_KEYS: every key needs at least ${MIN_STATIC_KEY_LENGTH} characters`);
  }
  if (env.KV_REST_API_URL && !env.KV_REST_API_TOKEN) faults.push("KV_REST_API_TOKEN: required with KV_REST_API_URL");
  faults.push(...listSharedStoreFaults(env));
  const collectors = env.FEE_COLLECTORS;
  if (collectors.some(findWalletAddressFault) || new Set(collectors).size !== collectors.length) {
    faults.push("FEE_COLLECTORS: must be distinct wallet addresses, as `npm run operator -- init` prints them");
  }
  if (collectors.length !== 0 && collectors.length !== FEE_COLLECTOR_COUNT)
    faults.push(`FEE_COLLECTORS: must be ${FEE_COLLECTOR_COUNT} addresses`);
  if (env.NETWORK === "mainnet-beta") {
    if (!findDeployment(env))
      faults.push("WALLET_ORIGIN: required on mainnet-beta (or PUBLIC_URL, whose origin it then is)");
    if (listReadUrls(env).length === 0) faults.push("SOLANA_RPC_URL: required on mainnet-beta (or SOLANA_RPC_URLS)");
    if (collectors.length === 0) faults.push("FEE_COLLECTORS: required on mainnet-beta (npm run operator -- init)");
  }
  if (env.VERCEL) {
    if (env.NETWORK === "sandbox") faults.push("NETWORK: the sandbox cannot run on Vercel; set NETWORK=mainnet-beta");
    if (env.CLIENT_IP.kind !== "vercel") faults.push("CLIENT_IP: must be `vercel` on Vercel");
    if (!env.KV_REST_API_URL && !env.REDIS_URL)
      faults.push("KV_REST_API_URL: required on Vercel, whose disk does not last (or REDIS_URL)");
  }
  return faults;
}

/**
 * Parses and checks the configuration of the web process. Defaults are those of .env.example.
 * @throws {EnvError} one line naming every variable that is wrong
 */
export function parseEnv(source: Variables): Env {
  return requireValid(EnvSchema.safeParse(source), listCrossFaults);
}

/** Parses only the settings that pages show, because a build has no others. @throws {EnvError} */
export function readPageSettings(source: Variables): Pick<Env, "NETWORK" | "PUBLIC_URL"> {
  return requireValid(EnvSchema.pick({ NETWORK: true, PUBLIC_URL: true }).safeParse(source), () => []);
}

function requireValid<T>(parsed: z.ZodSafeParseResult<T>, listFaults: (env: T) => string[]): T {
  const faults = parsed.success
    ? listFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) throw new EnvError(`The configuration is not usable. ${faults.join("; ")}`);
  return parsed.data;
}

/** Returns the deployment that signed texts name. Undefined on mainnet-beta without an origin, which parseEnv refuses. */
export function findDeployment({ NETWORK, WALLET_ORIGIN, PUBLIC_URL }: Env): string | undefined {
  if (NETWORK === "sandbox") return SANDBOX_DEPLOYMENT;
  return WALLET_ORIGIN ?? (PUBLIC_URL && new URL(PUBLIC_URL).origin);
}

/** Returns the URLs of the nodes to read from, in order of preference. */
export function listReadUrls({ SOLANA_RPC_URLS: urls, SOLANA_RPC_URL: url }: Env): string[] {
  if (urls.length > 0) return urls;
  return url ? [url] : [];
}

/**
 * Returns the limits of upstream calls, in calls per second; null means no limit. The defaults for Jupiter are its own
 * limits without a key and with a free key.
 */
export function chooseCallLimits({ NETWORK, RPC_CALLS_PER_SECOND, JUPITER_CALLS_PER_SECOND, JUPITER_API_KEY }: Env) {
  const limitOnMainnet = (calls: number) => (NETWORK === "mainnet-beta" ? calls : null);
  return {
    rpcCallsPerSecond: RPC_CALLS_PER_SECOND ?? limitOnMainnet(100),
    jupiterCallsPerSecond: JUPITER_CALLS_PER_SECOND ?? limitOnMainnet(JUPITER_API_KEY ? 1 : 0.5),
  };
}

/** The names that .env.example must list. */
export const ENV_NAMES = Object.keys(EnvSchema.shape).filter((name) => name !== "VERCEL");

export interface OperatorEnv {
  operatorFile: string;
  rpcUrl: string;
  /** Priority fee of a sweep: a percentile of the fees in recent blocks, and an upper limit in lamports. */
  priorityFee: { percentile: number; maxLamports: bigint };
  /** The store of the service: shared, or embedded in a folder. */
  store: SharedStore | { path: string };
}

const OperatorEnvSchema = EnvSchema.pick({ PRIORITY_FEE_PERCENTILE: true, PRIORITY_FEE_MAX_LAMPORTS: true }).extend(
  storeSettings,
);

/**
 * Parses the configuration of the operator command. The collectors' secrets are in its file, never in the environment.
 * @throws {EnvError}
 */
export function parseOperatorEnv(source: Variables): OperatorEnv {
  const env = requireValid(OperatorEnvSchema.safeParse(source), listSharedStoreFaults);
  return {
    operatorFile: source.OPERATOR_FILE || ".data/operator.json",
    rpcUrl: source.SOLANA_RPC_URL || commaList.parse(source.SOLANA_RPC_URLS)[0] || "http://127.0.0.1:8899",
    priorityFee: { percentile: env.PRIORITY_FEE_PERCENTILE, maxLamports: BigInt(env.PRIORITY_FEE_MAX_LAMPORTS) },
    store: toSharedStore(env) ?? { path: `${source.DATA_DIR || ".data"}/store` },
  };
}

/** Settings that may hold a secret. `<name>_FILE` names a file that holds the value instead. */
const SECRET_NAMES = [
  "API_KEYS",
  "HERMES_API_KEY",
  "JUPITER_API_KEY",
  "KV_REST_API_TOKEN",
  "KV_REST_API_URL",
  "REDIS_SENTINELS",
  "REDIS_URL",
  "SOLANA_RPC_URL",
  "SOLANA_RPC_URLS",
  "SOLANA_SEND_URLS",
] as const;

/**
 * Fills in each secret from the file that `<name>_FILE` names.
 * @throws {EnvError} naming the variable when both are set, or when the file is unreadable or empty
 */
export function readSecretFiles(source: Variables): Variables {
  const secrets = SECRET_NAMES.flatMap((name) => {
    const path = source[`${name}_FILE`];
    if (!path) return [];
    if (source[name]) throw new EnvError(`${name}_FILE: set either it or ${name}, not both.`);
    return [[name, readSecret(`${name}_FILE`, path)]];
  });
  return { ...source, ...Object.fromEntries(secrets) };
}

function readSecret(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new EnvError(`${name}: the file cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  // A file that is just being rewritten may be empty. It must not remove a secret.
  if (text === "") throw new EnvError(`${name}: the file is empty.`);
  return text;
}

/** Matches names that other programs set, although they look like settings of this service. */
const FOREIGN_NAME_PATTERN = /_SERVICE_(HOST|PORT)|_PORT(_|$)|^KV_URL$|^KV_REST_API_READ_ONLY_TOKEN$/;

/** Returns the names that begin like a setting of this service but are not settings, for example misspelt ones. */
export function listUnknownNames(source: Variables): string[] {
  const knownNames = new Set<string>([...ENV_NAMES, ...SECRET_NAMES.map((name) => `${name}_FILE`), "OPERATOR_FILE"]);
  const knownPrefixes = new Set(ENV_NAMES.filter((name) => name.includes("_")).map((name) => name.split("_")[0]!));
  return Object.keys(source).filter((name) => {
    const [prefix, suffix] = name.split("_");
    return (
      suffix !== undefined && knownPrefixes.has(prefix!) && !knownNames.has(name) && !FOREIGN_NAME_PATTERN.test(name)
    );
  });
}

/**
 * Returns process.env with the secrets' files read. Only the composition root, the entry points of programs and the
 * build of the pages call this function. No other code of the service reads a setting from process.env.
 * @throws {EnvError} as readSecretFiles does
 */
export const readProcessEnv = (): Variables => readSecretFiles(process.env);
