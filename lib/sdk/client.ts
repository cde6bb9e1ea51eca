/** Entry point `/client`: the HTTP API for a backend that signs nothing. */

import { type Calls, createCalls, DEFAULT_MAX_WAIT_MS, DEFAULT_RETRIES, type LimitOptions } from "./calls/calls";
import { type Fetch, systemClock, systemFetch } from "./platform";

export type { Abortable, CallOptions, Calls, Credentials, LimitOptions } from "./calls/calls";
export { type EventsRequest, followEvents, type RoundupEvent } from "./events";

export interface ClientOptions extends LimitOptions {
  /** Base URL of the service, e.g. `https://roundup.example`. */
  baseUrl: string;
  /** Static API key, sent with every call that does not name other credentials. */
  apiKey?: string;
  fetch?: Fetch;
}

/**
 * Creates an HTTP client for one deployment, typed by path. By default a call waits up to 10 s for the rate limit. The
 * client checks no transaction: pass what the service built to `verifyWrap`, `verifySwap` or `verifyWithdrawal`.
 */
export function createClient({ baseUrl, apiKey, fetch = systemFetch, ...limitOptions }: ClientOptions): Calls {
  return createCalls({
    maxWaitMs: DEFAULT_MAX_WAIT_MS,
    ...limitOptions,
    baseUrl,
    fetch,
    clock: systemClock,
    retries: DEFAULT_RETRIES,
    credentials: () => (apiKey === undefined ? null : { "x-api-key": apiKey }),
  });
}
