import type { DataOf } from "../contracts/define";
import type { getEventsContract } from "../contracts/get-events";
import { ApiError } from "./calls/api-error";
import type { Abortable, Calls, PathOf } from "./calls/calls";
import { type Clock, rejectOnAbort, systemClock } from "./platform";

type EventsPage = DataOf<typeof getEventsContract>;
/** The outcome of one transaction that the service sent. */
export type RoundupEvent = EventsPage["events"][number];

export interface EventsRequest extends Abortable {
  /** The `sequence` of the last event that you have handled. Default 0: starts with the oldest stored event. */
  after?: number;
  /** Reads the events of this wallet. Without it, a static key reads those of all transactions that it submitted. */
  wallet?: string;
  onRetry?: (error: ApiError) => void;
}

/** Returns the wait before a retry, ms: 1 s after the first failure, then twice as long each time, at most 60 s. */
export const computeBackoffMs = (failureCount: number): number => Math.min(1_000 * 2 ** (failureCount - 1), 60_000);

/** Returns whether a call can succeed later without any change by the caller. */
const isTemporary = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;

/** How long the service may hold a call while there is no event, s. */
const WAIT_SECONDS = 20;
/** The least pause after a page without events, ms. It prevents a busy loop behind a proxy that answers early. */
const PAUSE_MS = 1_000;

/**
 * Yields events in order and without gaps, and retries calls that fail temporarily. To continue after a restart, store
 * the `sequence` of each handled event and pass the last one as `after`.
 * @param calls from `createClient`, or from `roundup.calls()`
 * @throws {ApiError} when no retry can help, e.g. for invalid credentials, and the signal's reason
 */
export async function* followEvents(
  calls: Pick<Calls, "get">,
  request: EventsRequest = {},
  clock: Clock = systemClock,
): AsyncGenerator<RoundupEvent, never> {
  const { after = 0, wallet, signal } = request;
  for (let lastSequence = after; ; ) {
    const query = { after: `${lastSequence}`, wait: `${WAIT_SECONDS}`, ...(wallet && { wallet }) };
    const page = await readPage(calls, query, request, clock);
    for (const event of page.events) {
      signal?.throwIfAborted();
      yield event;
    }
    lastSequence = page.next;
    if (page.events.length === 0) await rejectOnAbort(clock.sleep(Math.max(PAUSE_MS, page.retryAfterMs ?? 0)), signal);
  }
}

/** Reads the name of the caller's feed, which a new static key of the same name keeps. Retries as `followEvents` does. */
export async function readFeedName(calls: Pick<Calls, "get">, request: EventsRequest, clock: Clock): Promise<string> {
  return (await readPage(calls, { limit: "1" }, request, clock)).feed;
}

async function readPage(
  calls: Pick<Calls, "get">,
  query: Record<string, string>,
  { signal, onRetry = () => {} }: EventsRequest,
  clock: Clock,
): Promise<EventsPage> {
  for (let failureCount = 1; ; failureCount++) {
    try {
      const path = `/api/events?${new URLSearchParams(query)}` as PathOf<"GET">;
      return (await calls.get(path, { signal })) as unknown as EventsPage;
    } catch (error) {
      if (!(error instanceof ApiError) || !isTemporary(error)) throw error;
      onRetry(error);
      await rejectOnAbort(clock.sleep(Math.max(error.retryAfterMs ?? 0, computeBackoffMs(failureCount))), signal);
    }
  }
}
