import { systemClock, systemRandom } from "../clients/process/system";
import { openLmdbStore } from "../clients/store/kv-lmdb";
import { createSharedStore } from "../clients/store/kv-shared";
import { openSharedStore } from "../clients/store/open-shared-store";
import type { OperatorEnv } from "../env";
import { AppError } from "../errors";
import { OperatorFailure } from "./failure";

type Store = ReturnType<typeof createSharedStore>;

const systemPorts = { clock: systemClock, random: systemRandom };
/** Time limit of one call of a shared store, ms. */
const STORE_TIMEOUT_MS = 10_000;

/**
 * Opens the service's store, runs `work` and closes the store.
 * @param verb the verb in the message of a failure
 * @throws {OperatorFailure} naming the store's folder or address, when the store cannot be opened or `work` fails
 */
export async function withStore<T>(
  settings: OperatorEnv["store"],
  verb: "read" | "written",
  work: (store: Store) => Promise<T>,
): Promise<T> {
  let store: Store | undefined;
  try {
    store =
      "path" in settings
        ? openLmdbStore({ ...settings, clock: systemClock })
        : createSharedStore(openSharedStore({ ...settings, timeoutMs: STORE_TIMEOUT_MS }, systemPorts).commands);
    return await work(store);
  } catch (error) {
    const reason = error instanceof AppError ? error.code : (error as Error).message;
    throw new OperatorFailure(`The store at ${describeStore(settings)} could not be ${verb} (${reason}).`);
  } finally {
    // An open connection keeps reconnecting, so the command would never end.
    await store?.close();
  }
}

/** Returns the folder or the address of the store, without credentials. */
export function describeStore(store: OperatorEnv["store"]): string {
  if ("path" in store) return store.path;
  if (store.kind === "rest") return new URL(store.url).origin;
  const { host, port, path } = store.servers.address;
  return path ?? `${host}:${port}`;
}
