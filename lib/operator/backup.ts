import { backUpLmdbStore, restoreLmdbStore } from "../clients/store/kv-lmdb-backup";
import type { OperatorEnv } from "../env";
import { OperatorFailure } from "./failure";

const SHARED_STORE =
  "This service keeps its records in a shared store. Back it up with the tools of its host; these commands are for the embedded store.";

/**
 * Copies the embedded store to a new folder while the service runs.
 * @throws {OperatorFailure} when the store cannot be read, or the folder cannot be written or is not empty
 */
export async function backup(where: OperatorEnv["store"], folder: string, print: (text: string) => void) {
  const path = requireEmbeddedPath(where);
  const bytes = await backUpLmdbStore(path, folder).catch(fail("backup"));
  print(`Backed up the store in ${path} to ${folder}, ${bytes} bytes.`);
}

/**
 * Puts a backup back. Never overwrites a store.
 * @throws {OperatorFailure} when the backup is damaged, or a store is there already
 */
export async function restore(where: OperatorEnv["store"], folder: string, print: (text: string) => void) {
  const path = requireEmbeddedPath(where);
  const bytes = await restoreLmdbStore(folder, path).catch(fail("restore"));
  print(`Restored ${folder} to ${path}, ${bytes} bytes. API keys revoked since the backup work again; revoke them.`);
}

function requireEmbeddedPath(where: OperatorEnv["store"]): string {
  if ("path" in where) return where.path;
  throw new OperatorFailure(SHARED_STORE);
}

const fail = (what: string) => (error: Error) => {
  throw new OperatorFailure(`The ${what} was not made: ${error.message}.`);
};
