import { createUnusableStoreError, getRuntime, type Runtime, reloadStaticKeys } from "./deps";
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "./domain/assets";
import { STORE_KEYS } from "./domain/store-keys";
import { type Env, EnvError, getStoreFolder, toSharedStore } from "./env";
import { AppError, KeyRefusedFault, UpstreamFault } from "./errors";
import type { Deps } from "./ports/deps";
import type { SolanaRpc } from "./ports/solana-rpc";

/**
 * Starts and checks the runtime where Next runs the process. Ends the process if this fails, because Next would
 * otherwise answer every page with a 500. SIGHUP, which reads the static keys again, would end it too.
 */
export async function startUnderNext(): Promise<void> {
  process.umask(0o077);
  try {
    const runtime = getRuntime();
    process.on("SIGHUP", () => reloadStaticKeys(runtime));
    await checkStart(runtime);
  } catch (error) {
    console.error(error instanceof EnvError ? error.message : error);
    process.exit(1);
  }
}

/**
 * Checks the store, its network, origin and format, and the chain. @throws {EnvError} with the remedy for the operator
 */
export async function checkStart(runtime: Runtime): Promise<void> {
  await checkStore(runtime);
  await checkStoreNetwork(runtime);
  await checkOrigin(runtime.deps);
  await checkStoreFormat(runtime.deps);
  await checkChain(runtime);
}

/**
 * Writes to the embedded store once, so that a full disk stops the start. A shared store must accept the credentials,
 * allow every command and drop no records when it is full. @throws {EnvError}
 */
export async function checkStore(runtime: Pick<Runtime, "env" | "deps" | "notices" | "storeChecks">): Promise<void> {
  if (runtime.storeChecks) return checkSharedStore(runtime, runtime.storeChecks);
  await runtime.deps.kv.ping().catch((error) => {
    const { message } = error.details?.cause ?? error;
    const cause = new Error(`${message}. Free disk space, or choose another folder`);
    throw createUnusableStoreError(getStoreFolder(runtime.env), cause);
  });
}

async function checkSharedStore(
  { env, notices }: Pick<Runtime, "env" | "notices">,
  { probe, findEvictingPolicy }: NonNullable<Runtime["storeChecks"]>,
): Promise<void> {
  await probe().catch((error) => {
    if (!(error instanceof AppError)) throw error;
    const { cause } = error.details;
    if (cause instanceof KeyRefusedFault)
      throw new EnvError(
        `${env.REDIS_URL ? "REDIS_URL" : "KV_REST_API_TOKEN"}: the store ${cause.failure}; not started.`,
      );
    const reason = cause instanceof UpstreamFault ? ` (${cause.failure})` : "";
    throw new EnvError(
      `${env.REDIS_URL ? "REDIS_URL" : "KV_REST_API_URL"}: the store does not answer${reason}; not started.`,
    );
  });
  const policy = await findEvictingPolicy().catch(() => undefined);
  if (policy === undefined)
    notices.send("The store does not let its user run INFO. Make sure that its maxmemory-policy is noeviction.");
  if (policy)
    throw new EnvError(
      `REDIS_URL: the server's maxmemory-policy is ${policy}, which drops records that prevent double payments; set noeviction; not started.`,
    );
}

/** Refuses a store of another network, whose prices and records would count here. @throws {EnvError} */
export async function checkStoreNetwork({ env, deps }: Pick<Runtime, "env"> & { deps: Pick<Deps, "kv" | "network"> }) {
  const { network, kv } = deps;
  const refusal = "The store does not answer, so its network is unknown; not started.";
  const storeNetwork = await pinValue<string>(kv, STORE_KEYS.storeNetwork.toKey(), network, refusal);
  if (storeNetwork === network) return;
  const { setting, place } = describeStore(env);
  throw new EnvError(
    `${setting}: the store ${place} belongs to ${storeNetwork}, and NETWORK is ${network}; name another one in ${setting}, or set NETWORK=${storeNetwork}; not started.`,
  );
}

function describeStore(env: Env): { setting: string; place: string } {
  const sharedStore = toSharedStore(env);
  if (sharedStore === null) return { setting: "DATA_DIR", place: `in ${getStoreFolder(env)}` };
  if (sharedStore.kind === "rest") return { setting: "KV_REST_API_URL", place: "at that address" };
  return { setting: "REDIS_PREFIX", place: `under the prefix ${sharedStore.prefix}` };
}

/** The version of the records' keys and shapes. Increase it when an older program must no longer touch the records. */
const STORE_FORMAT = 1;

/** Refuses mainnet under another origin, which would give every user a different service wallet. @throws {EnvError} */
export async function checkOrigin({ network, deployment, kv }: Pick<Deps, "network" | "deployment" | "kv">) {
  if (network === "sandbox") return;
  const refusal =
    "WALLET_ORIGIN: the store does not answer, so whether savings wallets were made under another origin is unknown; not started.";
  const pinnedOrigin = await pinValue(kv, STORE_KEYS.walletOrigin.toKey(), deployment, refusal);
  if (pinnedOrigin === deployment) return;
  throw new EnvError(
    `WALLET_ORIGIN: this store was first used with ${pinnedOrigin}, and another origin would move everybody's savings wallet; set WALLET_ORIGIN=${pinnedOrigin}.`,
  );
}

/** Refuses to start on a store that a newer program has written. @throws {EnvError} */
export async function checkStoreFormat({ kv }: Pick<Deps, "kv">): Promise<void> {
  const refusal = "The store does not answer, so its format is unknown; not started.";
  const storedFormat = await pinValue(kv, STORE_KEYS.storeFormat.toKey(), STORE_FORMAT, refusal);
  if ((storedFormat ?? 0) <= STORE_FORMAT) return;
  throw new EnvError(
    `The store has format ${storedFormat}, and this program knows formats up to ${STORE_FORMAT}; start the newer program, or restore a backup from before the upgrade.`,
  );
}

/** Returns the value under `key`, which is `value` unless it has another one. @throws {EnvError} with the refusal */
async function pinValue<T extends string | number>(kv: Deps["kv"], key: string, value: T, refusal: string) {
  try {
    return (await kv.setIfAbsent(key, value)) ? value : await kv.get<T>(key);
  } catch (cause) {
    throw new EnvError(refusal, { cause });
  }
}

/**
 * Checks that every Solana node serves mainnet-beta and that traded mints have the expected decimals. A check without
 * an answer is logged.
 * @throws {EnvError} naming the variable and the position of a wrong address, never the address, which may hold a key
 */
export async function checkChain(runtime: Pick<Runtime, "env" | "deps" | "nodes" | "notices">): Promise<void> {
  const { env, deps, nodes, notices } = runtime;
  if (env.NETWORK === "sandbox") return;
  const formatNodeName = ({ use, position }: { use: "read" | "send"; position: number }) => {
    if (use === "read" && env.SOLANA_RPC_URLS.length === 0) return "SOLANA_RPC_URL: it";
    return `${use === "read" ? "SOLANA_RPC_URLS" : "SOLANA_SEND_URLS"}: address ${position}`;
  };
  const unprovenNodes = await nodes.check();
  const wrongNodes = unprovenNodes.filter(({ network }) => network === "wrong");
  if (wrongNodes.length > 0)
    throw new EnvError(
      `${wrongNodes.map(formatNodeName).join(", ")} is of another network than ${env.NETWORK}; not started.`,
    );
  for (const node of unprovenNodes)
    notices.send(`${formatNodeName(node)} does not say its network; it is asked again before it is used.`);
  // Without a usable read node, the check of the mints would only wait for the timeout again.
  if (nodes.report().every(({ use, state }) => use === "send" || state === "unchecked")) return;
  for (const { asset, decimals } of await findWrongDecimals(deps.rpc)) {
    if (decimals !== null)
      throw new EnvError(`The mint of ${asset} has ${decimals} decimals on this chain; not started.`);
    notices.send(`The decimals of the mint of ${asset} could not be read.`);
  }
}

/** The size of a mint's data in both token programs. Source: spl_token::state::Mint. */
const MINT_BYTES = 82;
/** The offset of the decimals in these data, one byte. */
const DECIMALS_OFFSET = 44;

/** `decimals` is null when a mint cannot be read. */
async function findWrongDecimals(
  rpc: Pick<SolanaRpc, "readAccounts">,
): Promise<{ asset: AssetSymbol; decimals: number | null }[]> {
  const mints = ASSET_SYMBOLS.map((asset) => ASSETS[asset].mint);
  const accounts = await rpc.readAccounts(mints, { firstBytes: MINT_BYTES }).catch((error) => {
    if (error instanceof AppError) return [];
    throw error;
  });
  return ASSET_SYMBOLS.flatMap((asset, i) => {
    const data = accounts[i]?.data;
    const decimals = data?.length === MINT_BYTES ? data[DECIMALS_OFFSET]! : null;
    return decimals === ASSETS[asset].decimals ? [] : [{ asset, decimals }];
  });
}
