import type { DataOf } from "@/lib/contracts/define";
import { type CallOptions, type Calls, type Credentials, createCalls, type PathOf } from "@/lib/sdk/calls/calls";
import { type Fetch, systemClock, systemFetch } from "@/lib/sdk/platform";
import { createRateLimit } from "./rate-limit";

/** The rate limit of this tab's calls. */
export const rateLimit = createRateLimit();

/** The longest wait for the rate limit. Programs on the same IP address can use up the next minute's calls too. */
const MAX_WAIT_MS = 180_000;

const fetchAndRecordLimit: Fetch = async (address, init) => {
  const response = await systemFetch(address, init);
  rateLimit.recordHeaders(response.headers, Date.now());
  return response;
};

/**
 * Returns the API client of this deployment with the given credentials. It repeats only calls that are rate-limited.
 * `retryRead` repeats other failed reads. A failed action is shown to the person, with a way to continue.
 */
export const createAppCalls = (credentials: Credentials | null): Calls =>
  createCalls({
    baseUrl: "",
    fetch: fetchAndRecordLimit,
    clock: systemClock,
    credentials: () => credentials,
    onLimit: (retryAfterMs) => rateLimit.recordWait(Date.now() + retryAfterMs),
    maxWaitMs: MAX_WAIT_MS,
  });

/** The API client for calls without credentials. */
export const calls = createAppCalls(null);

/** Reads a path that is composed at run time. The caller names the path's contract as the type parameter. */
export const readPath = <C>(path: string, options?: CallOptions) =>
  calls.get(path as PathOf<"GET">, options) as Promise<DataOf<C>>;
