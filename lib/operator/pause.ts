import { PAUSE_KEY, type PausableAction, type Pause } from "../domain/pause";
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
    await (actions.length > 0 ? store.set(PAUSE_KEY, pause) : store.delete(PAUSE_KEY));
  });
  print(
    `${actions.length > 0 ? `Paused: ${actions.join(", ")}` : "Nothing is paused live"}, in the ${service.network} store at ${describeStore(service.store)}.`,
  );
}
