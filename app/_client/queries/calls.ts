import type { DataOf } from "@/lib/contracts/define";
import { type CallOptions, type Calls, type Credentials, createCalls, type PathOf } from "@/lib/sdk/calls/calls";
import { type Fetch, systemClock, systemFetch } from "@/lib/sdk/platform";
import { createRateLimit } from "./rate-limit";

/** Of this tab's calls. */
export const rateLimit = createRateLimit();

/** The longest wait for the rate limit. Programs on the same IP address can use up the next minute's calls too. */
const MAX_WAIT_MS = 180_000;

const fetchAndRecordLimit: Fetch = async (address, init) => {
  const response = await systemFetch(address, init);
  rateLimit.recordHeaders(response.headers, Date.now());
  return response;
};

/** The longest time that a read leaves the reserved calls to the person, ms: the window of the rate limit. */
const MAX_HOLD_MS = 60_000;
/** The longest turn of a held read, ms: its wait, and a few seconds for its answer, which says how many calls remain. */
const HOLD_TURN_MS = 25_000;

let heldReads: Promise<unknown> = Promise.resolve();

/** Sends a call. While only the reserved calls remain, reads wait, and are then sent one by one. */
const fetchHeldRead: Fetch = (address, init) => {
  const startedAt = Date.now();
  if (init?.method !== "GET" || rateLimit.getReadHoldMs(startedAt) === 0) return fetchAndRecordLimit(address, init);
  const response = heldReads.then(async () => {
    const now = Date.now();
    const holdMs = Math.min(rateLimit.getReadHoldMs(now), startedAt + MAX_HOLD_MS - now);
    if (holdMs > 0 && !init.signal?.aborted) {
      rateLimit.recordWait(now + holdMs, false);
      await systemClock.sleep(holdMs);
    }
    return fetchAndRecordLimit(address, init);
  });
  const answered = response.catch(() => {});
  heldReads = heldReads.then(() => Promise.race([answered, systemClock.sleep(HOLD_TURN_MS)]));
  return response;
};

/** Creates a client that repeats only calls that are rate-limited. */
const createPageCalls = (fetch: Fetch, isAction: boolean, credentials: Credentials | null): Calls =>
  createCalls({
    baseUrl: "",
    fetch,
    clock: systemClock,
    credentials: () => credentials,
    onLimit: (retryAfterMs) => rateLimit.recordWait(Date.now() + retryAfterMs, isAction),
    maxWaitMs: MAX_WAIT_MS,
  });

/** Creates the API client for what the person presses. A failed action is shown, with a way to continue. */
export const createAppCalls = (credentials: Credentials | null): Calls =>
  createPageCalls(fetchAndRecordLimit, true, credentials);

/** The API client for the page's own reads, and for actions without credentials. `retryRead` repeats failed reads. */
export const calls = createPageCalls(fetchHeldRead, false, null);

/** Reads a path that is composed at run time. The caller names the path's contract as the type parameter. */
export const readPath = <C>(path: string, options?: CallOptions) =>
  calls.get(path as PathOf<"GET">, options) as Promise<DataOf<C>>;
