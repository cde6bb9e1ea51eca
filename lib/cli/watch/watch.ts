import { ApiError } from "../../sdk/index";
import { isFatalError } from "./pay-within-limits";
import { pollOnce, type WatchState } from "./poll";
import type { WatchContext } from "./watch-context";

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** Delay from a change notification to the poll, so that one poll covers several changes in a row. */
const CHANGE_DELAY_MS = 2_000;
/** Multiplies the poll interval while a subscription is active. Polls then only catch missed notifications. */
const SUBSCRIBED_INTERVAL_FACTOR = 4;

/**
 * Polls and acts until the user stops the watch. Temporary errors are retried with an increasing delay.
 * @throws {Error} a fatal error, see `isFatalError`, or an unexpected one
 */
export async function runWatch(context: WatchContext): Promise<void> {
  const state: WatchState = { nextAttemptMs: {} };
  const loggedTexts = new Set<string>();
  const deduplicatedContext: WatchContext = {
    ...context,
    log: (event) => {
      // Log a text again only after something has been saved. Otherwise each poll would repeat it.
      if (event.event === "saved") loggedTexts.clear();
      if (!loggedTexts.has(event.text)) context.log(event);
      loggedTexts.add(event.text);
    },
  };
  let shouldReactSoon = true;
  for (let failureCount = 0; !context.isEnding(); ) {
    try {
      const intervalMs = await pollOnce(deduplicatedContext, state);
      failureCount = 0;
      shouldReactSoon = await waitForNextPoll(deduplicatedContext, intervalMs, shouldReactSoon);
    } catch (error) {
      if (isFatalError(error) || !(error instanceof ApiError)) throw error;
      if (error.status === 401) context.roundup.signOut();
      deduplicatedContext.log({ event: "trouble", text: error.message });
      await context.pause(computeRetryDelayMs(error, failureCount, context.random()));
      failureCount += 1;
    }
  }
}

/**
 * Waits until the next poll is due.
 * @param shouldReactSoon true to poll soon after the next change. It is false after a change, because strangers can cause
 * changes without end: a poll for each one would use up the rate limit
 * @returns `shouldReactSoon` for the next call
 */
async function waitForNextPoll(
  { pause, waitForChange }: WatchContext,
  intervalMs: number,
  shouldReactSoon: boolean,
): Promise<boolean> {
  if (intervalMs === 0) return true;
  const nextChange = waitForChange();
  if (!nextChange) return pause(intervalMs).then(() => true);
  const changeDelayMs = shouldReactSoon ? CHANGE_DELAY_MS : intervalMs;
  return Promise.race([
    pause(intervalMs * SUBSCRIBED_INTERVAL_FACTOR).then(() => true),
    nextChange.then(() => pause(changeDelayMs)).then(() => false),
  ]);
}

/**
 * Returns the retry delay in milliseconds: at least the service's Retry-After. It grows exponentially, and has jitter so
 * that clients do not retry in step.
 * @param randomFraction from 0 to 1
 */
function computeRetryDelayMs({ retryAfter }: ApiError, failureCount: number, randomFraction: number): number {
  const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failureCount, 10), LONGEST_RETRY_MS);
  return Math.max((retryAfter ?? 0) * 1000, backoffMs * (0.5 + randomFraction / 2));
}
