import { PAUSE_KEY, type PausableAction, type Pause } from "../domain/pause";
import type { OperatorEnv } from "../env";
import { describeStore, withStore } from "./store";

/**
 * Replaces the live pause for every instance that shares the store. The new pause applies from the next request.
 * @param parts parts to pause; an empty list ends the live pause, but not one from the service's settings
 * @throws {OperatorFailure} when the store cannot be written
 */
export async function setPause(
  storeSettings: OperatorEnv["store"],
  { parts, reason }: { parts: PausableAction[]; reason: string | null },
  print: (text: string) => void,
): Promise<void> {
  const pause: Pause = { parts, reason };
  await withStore(storeSettings, "written", async (store) => {
    await (parts.length > 0 ? store.set(PAUSE_KEY, pause) : store.delete(PAUSE_KEY));
  });
  print(
    `${parts.length > 0 ? `Paused: ${parts.join(", ")}` : "Nothing is paused live"}, in the store at ${describeStore(storeSettings)}.`,
  );
}
