import { backUpLmdbStore, restoreLmdbStore } from "../clients/store/kv-lmdb-backup";
import type { OperatorEnv } from "../env";
import { OperatorFailure } from "./failure";
import { type ServiceStore, withStore } from "./store";

/**
 * Copies the embedded store to a new folder while the service runs.
 * @throws {OperatorFailure} when the store is shared, unreadable or of another network, or the folder is not empty or
 * cannot be written
 */
export async function backUpStore(service: ServiceStore, folder: string, print: (text: string) => void) {
  const path = requireEmbeddedPath(service.store);
  await withStore(service, "read", async () => {});
  const bytes = await backUpLmdbStore(path, folder, service.network).catch(createFailureHandler("backup"));
  print(`Backed up the ${service.network} store in ${path} to ${folder}, ${bytes} bytes.`);
}

/**
 * Copies a backup to the path of the embedded store. Never overwrites a store.
 * @throws {OperatorFailure} when the store is shared or exists already, or the backup is damaged or of another network
 */
export async function restoreStore(service: ServiceStore, folder: string, print: (text: string) => void) {
  const path = requireEmbeddedPath(service.store);
  const bytes = await restoreLmdbStore(folder, path, service.network).catch(createFailureHandler("restore"));
  print(`Restored ${folder} to the ${service.network} store in ${path}, ${bytes} bytes.`);
  print("API keys that were revoked after the backup are valid again. Revoke them again.");
}

function requireEmbeddedPath(store: OperatorEnv["store"]): string {
  if ("path" in store) return store.path;
  throw new OperatorFailure(
    "This service keeps its records in a shared store. Back it up with the tools of its host; these commands are for the embedded store.",
  );
}

const createFailureHandler = (commandName: "backup" | "restore") => (error: Error) => {
  throw new OperatorFailure(`The ${commandName} was not made: ${error.message}.`);
};
