import type { PausableAction, Pause } from "../domain/pause";
import { STORE_KEYS } from "../domain/store-keys";
import { describeStore, type ServiceStore, withStore } from "./store";

/**
 * Replaces the live pause, which is the one in the store, for every instance that shares the store. The new pause
 * applies from the next request.
 * @param actions the actions to pause; an empty list ends the live pause, but not one from the service's settings
 * @throws {OperatorFailure} when the store cannot be written
 */
export async function setPause(
  service: ServiceStore,
  { actions, reason }: { actions: PausableAction[]; reason: string | null },
  print: (text: string) => void,
): Promise<void> {
  const pause: Pause = { parts: actions, reason };
  await withStore(service, "written", async (store) => {
    await (actions.length > 0 ? store.set(STORE_KEYS.pause.toKey(), pause) : store.delete(STORE_KEYS.pause.toKey()));
  });
  print(
    `${actions.length > 0 ? `Paused: ${actions.join(", ")}` : "Nothing is paused live"}, in the ${service.network} store at ${describeStore(service.store)}.`,
  );
}
