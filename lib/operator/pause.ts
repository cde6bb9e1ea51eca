import { systemClock, systemRandom } from "../clients/process/system";
import { openLmdbStore } from "../clients/store/kv-lmdb";
import { createSharedStore } from "../clients/store/kv-shared";
import { openSharedStore } from "../clients/store/open-shared-store";
import { PAUSE_KEY, type Pausable, type Pause } from "../domain/pause";
import type { OperatorEnv } from "../env";
import { AppError } from "../errors";
import { OperatorFailure } from "./failure";

const system = { clock: systemClock, random: systemRandom };
const STORE_TIMEOUT_MS = 10_000;

/**
 * Replaces the live pause for every instance that shares the store. It applies from the next request.
 * @param parts parts to pause; an empty list ends the live pause, but not one from the service's settings
 * @throws {OperatorFailure} when the store cannot be written
 */
export async function setPause(
  where: OperatorEnv["store"],
  { parts, reason }: { parts: Pausable[]; reason: string | null },
  print: (text: string) => void,
): Promise<void> {
  const place = placeOf(where);
  try {
    const store =
      "path" in where
        ? openLmdbStore({ ...where, clock: systemClock })
        : createSharedStore(openSharedStore({ ...where, timeoutMs: STORE_TIMEOUT_MS }, system).commands);
    const pause: Pause = { parts, reason };
    await (parts.length > 0 ? store.set(PAUSE_KEY, pause) : store.delete(PAUSE_KEY));
    await store.close();
  } catch (error) {
    const reason = error instanceof AppError ? error.code : (error as Error).message;
    throw new OperatorFailure(`The store at ${place} could not be written (${reason}).`);
  }
  print(`${parts.length > 0 ? `Paused: ${parts.join(", ")}` : "Nothing is paused live"}, in the store at ${place}.`);
}

/** Returns the store's place without credentials. */
function placeOf(store: OperatorEnv["store"]): string {
  if ("path" in store) return store.path;
  if (store.kind === "rest") return new URL(store.url).origin;
  const { host, port, path } = store.servers.url;
  return path ?? `${host}:${port}`;
}
