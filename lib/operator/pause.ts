import { systemClock } from "../clients/process/system";
import { openLmdbStore } from "../clients/store/kv-lmdb";
import { openVercelStore } from "../clients/store/kv-vercel";
import { PAUSE_KEY, type Pausable, type Pause } from "../domain/pause";
import type { OperatorEnv } from "../env";
import { AppError } from "../errors";
import { OperatorFailure } from "./failure";

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
  const place = "url" in where ? new URL(where.url).origin : where.path;
  try {
    const store =
      "url" in where
        ? openVercelStore({ ...where, timeoutMs: STORE_TIMEOUT_MS })
        : openLmdbStore({ ...where, clock: systemClock });
    const pause: Pause = { parts, reason };
    await (parts.length > 0 ? store.set(PAUSE_KEY, pause) : store.delete(PAUSE_KEY));
    await store.close();
  } catch (error) {
    const reason = error instanceof AppError ? error.code : (error as Error).message;
    throw new OperatorFailure(`The store at ${place} could not be written (${reason}).`);
  }
  print(`${parts.length > 0 ? `Paused: ${parts.join(", ")}` : "Nothing is paused live"}, in the store at ${place}.`);
}
