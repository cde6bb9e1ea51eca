import { ApiError } from "../../index";
import { isFatal } from "./pay-within-caps";
import { poll, type WatchState } from "./poll";
import type { WatchWorld } from "./world";

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** Delay after a change notification, so that one poll covers several changes in a row. */
const CHANGED_MS = 2_000;
/** Factor on the poll interval while a subscription is active. Polls then only catch missed notifications. */
const SUBSCRIBED_FACTOR = 4;

/**
 * Polls and acts until the user stops the watch. Temporary errors are retried with an increasing delay.
 * The files here decide, pay within the limits, and poll; console options belong in commands/watch.ts.
 * @throws {NotAsShown} and other fatal errors
 */
export async function watch(world: WatchWorld): Promise<void> {
  const state: WatchState = { notBefore: {} };
  const loggedTexts = new Set<string>();
  const deduplicated: WatchWorld = {
    ...world,
    log: (event) => {
      // Log a repeated reason once, until something has been saved.
      if (event.event === "saved") loggedTexts.clear();
      if (!loggedTexts.has(event.text)) world.log(event);
      loggedTexts.add(event.text);
    },
  };
  let isCalm = true;
  for (let failures = 0; !world.isEnding(); ) {
    try {
      const ms = await poll(deduplicated, state);
      failures = 0;
      isCalm = await waitForNextPoll(deduplicated, ms, isCalm);
    } catch (error) {
      if (isFatal(error) || !(error instanceof ApiError)) throw error;
      if (error.status === 401) world.roundup.signOut();
      deduplicated.log({ event: "trouble", text: error.message });
      await world.pause(computeRetryDelayMs(error, failures, world.random()));
      failures += 1;
    }
  }
}

/**
 * Waits until the next poll.
 * @param isCalm true to react to the next change quickly. Strangers can trigger changes without end; reacting to each
 * one would use up the rate limit
 * @returns the `isCalm` value for the next call
 */
async function waitForNextPoll({ pause, waitForChange }: WatchWorld, ms: number, isCalm: boolean): Promise<boolean> {
  if (ms === 0) return true;
  const next = waitForChange();
  if (!next) return pause(ms).then(() => true);
  const after = isCalm ? CHANGED_MS : ms;
  return Promise.race([
    pause(ms * SUBSCRIBED_FACTOR).then(() => true),
    next.then(() => pause(after)).then(() => false),
  ]);
}

/** Returns the retry delay in milliseconds: exponential, with jitter so that clients do not retry in step. */
function computeRetryDelayMs({ retryAfter }: ApiError, failures: number, chance: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS);
  return Math.max((retryAfter ?? 0) * 1000, wait * (0.5 + chance / 2));
}
