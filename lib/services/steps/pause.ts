import type { PausableAction, Pause } from "../../domain/pause";
import { STORE_KEYS } from "../../domain/store-keys";
import { AppError } from "../../errors";
import type { Deps } from "../../ports/deps";

const RETRY_AFTER_SECONDS = 60;
const ACTIVITY_NAMES: Record<PausableAction, string> = { save: "Saving", invest: "Investing" };

/** Reads the pauses in force: one from the settings, and one from the store, which the operator can change anytime. */
export async function readPauses({ kv, pause }: Pick<Deps, "kv" | "pause">): Promise<Pause[]> {
  const storedPause = await kv.get<Pause>(STORE_KEYS.pause.toKey());
  return [pause, storedPause].filter((entry) => entry !== null);
}

export const formatPause = ({ parts, reason }: Pause): string =>
  `${parts.join(" and ")} paused by the operator${reason === null ? "" : `: ${reason}`}`;

export const readPauseTexts = async (deps: Deps): Promise<string[]> => (await readPauses(deps)).map(formatPause);

/** Refuses an operation that is paused. @throws AppError service_not_ready with the operator's reason */
export async function refuseWhilePaused(deps: Deps, action: PausableAction): Promise<void> {
  const activePause = (await readPauses(deps)).find(({ parts }) => parts.includes(action));
  if (!activePause) return;
  const reasonText = activePause.reason === null ? "" : ` Reason: ${activePause.reason}`;
  const message = `${ACTIVITY_NAMES[action]} is paused by the operator; reading, selling and withdrawing go on.${reasonText}`;
  throw new AppError("service_not_ready", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
