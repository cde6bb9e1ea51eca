import { existsSync } from "node:fs";
import { systemClock, systemRandom } from "../clients/process/system";
import { openLmdbStore } from "../clients/store/kv-lmdb";
import { createSharedStore } from "../clients/store/kv-shared";
import { openSharedStore } from "../clients/store/open-shared-store";
import { STORE_KEYS } from "../domain/store-keys";
import type { OperatorEnv } from "../env";
import { AppError } from "../errors";
import { OperatorFailure } from "./failure";

type Store = ReturnType<typeof createSharedStore>;

/** The service's network and its store. */
export type ServiceStore = Pick<OperatorEnv, "network" | "store">;

const systemPorts = { clock: systemClock, random: systemRandom };
/** Time limit of one call of a shared store, ms. */
const STORE_TIMEOUT_MS = 10_000;

/**
 * Opens the service's store, runs `work` and closes the store.
 * @param verb the verb in the message of a failure
 * @throws {OperatorFailure} naming the store's folder or address, when the store cannot be opened, is not of the
 * service's network, or `work` fails
 */
export async function withStore<T>(
  { network, store: settings }: ServiceStore,
  verb: "read" | "written",
  work: (store: Store) => Promise<T>,
): Promise<T> {
  let store: Store | undefined;
  try {
    // Opening a folder that does not exist would create an empty store.
    if ("path" in settings && !existsSync(settings.path)) throw createUnusedStoreFailure(settings);
    store =
      "path" in settings
        ? openLmdbStore({ ...settings, clock: systemClock })
        : createSharedStore(openSharedStore({ ...settings, timeoutMs: STORE_TIMEOUT_MS }, systemPorts).commands);
    requireNetwork(await store.get<string>(STORE_KEYS.storeNetwork.toKey()), network, settings);
    return await work(store);
  } catch (error) {
    if (error instanceof OperatorFailure) throw error;
    const reason = error instanceof AppError ? error.code : (error as Error).message;
    throw new OperatorFailure(`The store at ${describeStore(settings)} could not be ${verb} (${reason}).`);
  } finally {
    // An open connection keeps reconnecting, so the command would never end.
    await store?.close();
  }
}

/** Checks the network that the store belongs to; null for a store that no service has used. @throws {OperatorFailure} */
function requireNetwork(storeNetwork: string | null, network: string, store: OperatorEnv["store"]): void {
  if (storeNetwork === network) return;
  if (storeNetwork === null) throw createUnusedStoreFailure(store);
  throw new OperatorFailure(
    `The store at ${describeStore(store)} belongs to ${storeNetwork}, and NETWORK is ${network}. Set NETWORK=${storeNetwork}, or name another store.`,
  );
}

const createUnusedStoreFailure = (store: OperatorEnv["store"]) =>
  new OperatorFailure(
    `No service has used the store at ${describeStore(store)} yet. Give this command the service's NETWORK, DATA_DIR, REDIS_URL and REDIS_PREFIX.`,
  );

/** Returns the folder of the store, or its address and prefix, without credentials. */
export function describeStore(store: OperatorEnv["store"]): string {
  if ("path" in store) return store.path;
  if (store.kind === "rest") return new URL(store.url).origin;
  const { host, port, path } = store.servers.address;
  return `${path ?? `${host}:${port}`} (prefix ${store.prefix})`;
}
