import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { z } from "zod";
import { MIN_STATIC_KEY_LENGTH } from "./domain/api-key";
import { FEE_COLLECTOR_COUNT } from "./domain/fee-collector";
import { expandHome } from "./domain/home-path";
import { listSharedStoreFaults, type SharedStore, toSharedStore } from "./domain/shared-store-settings";
import { SANDBOX_DEPLOYMENT } from "./domain/signed-texts";
import { addNetworkDefaults, commaList, type Env, EnvSchema, storeSettings } from "./env-schema";
import { findWalletAddressFault } from "./solana/ed25519";

export type { Env } from "./env-schema";

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
    if (!env.CRON_SECRET) faults.push("CRON_SECRET: required on Vercel, whose cron job finishes pending transactions");
  }
  return faults;
}

/**
 * Parses and checks the configuration of the web process. @throws {EnvError} one line naming every variable that is
 * wrong
 */
export function parseEnv(source: Variables): Env {
  return requireValid(EnvSchema.transform(addNetworkDefaults).safeParse(source), listCrossFaults);
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

export function listReadUrls({ SOLANA_RPC_URLS: urls, SOLANA_RPC_URL: url }: Env): string[] {
  if (urls.length > 0) return urls;
  return url ? [url] : [];
}

/**
 * In calls per second; null means no limit. The defaults for Jupiter are its limits without a key and with a free key.
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

export const getStoreFolder = ({ DATA_DIR }: Pick<Env, "DATA_DIR">) => `${DATA_DIR}/store`;

export interface OperatorEnv {
  operatorFile: string;
  rpcUrl: string;
  /** Priority fee of a sweep: a percentile of the fees in recent blocks, and an upper limit in lamports. */
  priorityFee: { percentile: number; maxLamports: bigint };
  network: Env["NETWORK"];
  /** The store of the service: shared, or embedded in a folder. */
  store: SharedStore | { path: string };
}

const OperatorEnvSchema = EnvSchema.pick({ PRIORITY_FEE_PERCENTILE: true, PRIORITY_FEE_MAX_LAMPORTS: true })
  .extend(storeSettings)
  .transform(addNetworkDefaults);

/** The collectors' secrets are in the operator's file, never in the environment. @throws {EnvError} */
export function parseOperatorEnv(source: Variables): OperatorEnv {
  const env = requireValid(OperatorEnvSchema.safeParse(source), listSharedStoreFaults);
  return {
    operatorFile: source.OPERATOR_FILE || ".data/operator.json",
    rpcUrl: source.SOLANA_RPC_URL || commaList.parse(source.SOLANA_RPC_URLS)[0] || "http://127.0.0.1:8899",
    priorityFee: { percentile: env.PRIORITY_FEE_PERCENTILE, maxLamports: BigInt(env.PRIORITY_FEE_MAX_LAMPORTS) },
    network: env.NETWORK,
    store: toSharedStore(env) ?? { path: getStoreFolder(env) },
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
 * Reads the files that `<name>_FILE` names.
 * @throws {EnvError} when both are set, or when the file is unreadable or empty
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

const PATH_NAMES = ["DATA_DIR", "OPERATOR_FILE", ...SECRET_NAMES.map((name) => `${name}_FILE`)];

/** Replaces `~` in the settings that name a path. @throws {EnvError} naming the variable when there is no home folder */
export function expandPaths(source: Variables, home: string): Variables {
  const paths = PATH_NAMES.flatMap((name): [string, string][] => {
    const path = source[name];
    if (!path) return [];
    try {
      return [[name, expandHome(path, home)]];
    } catch (error) {
      throw new EnvError(`${name}: ${(error as Error).message}.`);
    }
  });
  return { ...source, ...Object.fromEntries(paths) };
}

/**
 * Returns process.env with the paths expanded and the secrets' files read. No other code of the service reads a setting
 * from process.env. @throws {EnvError}
 */
export const readProcessEnv = (): Variables => readSecretFiles(expandPaths(process.env, homedir()));
