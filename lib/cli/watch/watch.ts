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

/** Polls until the user stops the watch, and retries temporary errors. @throws {Error} a fatal or an unexpected one */
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
 * @param shouldReactSoon false after a change: strangers can cause changes without end, which would use up the rate limit
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
 * Returns the delay in ms, at least the service's Retry-After. Jitter keeps clients from retrying in step.
 * @param randomFraction from 0 to 1
 */
function computeRetryDelayMs({ retryAfter }: ApiError, failureCount: number, randomFraction: number): number {
  const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failureCount, 10), LONGEST_RETRY_MS);
  return Math.max((retryAfter ?? 0) * 1000, backoffMs * (0.5 + randomFraction / 2));
}
