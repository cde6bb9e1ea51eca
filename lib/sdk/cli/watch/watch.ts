import { ApiError } from "../../index";
import { isFatal } from "./pay-within-caps";
import { poll, type WatchState } from "./poll";
import type { WatchWorld } from "./world";

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** Several changes in a row are looked at together. */
const CHANGED_MS = 2_000;
/** Where changes are told, looking without one is for those that were missed. */
const TOLD_FACTOR = 4;

/**
 * Looks, acts, and looks again until it is to end. What may pass is waited for, longer each time.
 * @throws {NotAsShown} and what else nobody should go on after
 */
export async function watch(world: WatchWorld): Promise<void> {
  const state: WatchState = { notBefore: {} };
  const said = new Set<string>();
  const told: WatchWorld = {
    ...world,
    log: (event) => {
      // The same reason again is nothing new, until something was saved.
      if (event.event === "saved") said.clear();
      if (!said.has(event.text)) world.log(event);
      said.add(event.text);
    },
  };
  let isCalm = true;
  for (let failures = 0; !world.isEnding(); ) {
    try {
      const ms = await poll(told, state);
      failures = 0;
      isCalm = await idle(told, ms, isCalm);
    } catch (error) {
      if (isFatal(error) || !(error instanceof ApiError)) throw error;
      if (error.status === 401) world.roundup.signOut();
      told.log({ event: "trouble", text: error.message });
      await world.pause(waitAfter(error, failures, world.random()));
      failures += 1;
    }
  }
}

/**
 * @param isCalm whether the next change is looked at at once: anybody can make changes without end, and who looks after each
 * has no calls left for what there is to save
 * @returns whether the one after it is
 */
async function idle({ pause, changed }: WatchWorld, ms: number, isCalm: boolean): Promise<boolean> {
  if (ms === 0) return true;
  const next = changed();
  if (!next) return pause(ms).then(() => true);
  const after = isCalm ? CHANGED_MS : ms;
  return Promise.race([pause(ms * TOLD_FACTOR).then(() => true), next.then(() => pause(after)).then(() => false)]);
}

/** Doubling, and not in step with others that met the same trouble. */
function waitAfter({ retryAfter }: ApiError, failures: number, chance: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS);
  return Math.max((retryAfter ?? 0) * 1000, wait * (0.5 + chance / 2));
}
