import { AsyncLocalStorage } from "node:async_hooks";
import { DEFAULT_MAX_WAIT_MS } from "../../calls/calls";
import { ApiError, type RoundupOptions } from "../../index";
import type { Fetch } from "../../world";

/** One tool call that is running. */
interface ToolCall {
  /** Total wait for the rate limit, ms. Includes a wait that is about to begin. */
  waitedMs: number;
  /** Tells the client what the call is doing. */
  report(message: string): void;
}

/** All tool calls share one HTTP client. The context says which of them made a request. */
const currentCall = new AsyncLocalStorage<ToolCall>();

/** Runs a tool call. Reports the requests of `task` as its progress. */
export const runToolCall = <T>(report: ToolCall["report"], task: () => Promise<T>): Promise<T> =>
  currentCall.run({ waitedMs: 0, report }, task);

/**
 * Returns options for the HTTP client of all tool calls. Each request is reported as progress. A tool call waits for
 * the rate limit for at most DEFAULT_MAX_WAIT_MS in all. Clients abandon a call after about a minute.
 */
export const createClientOptions = (fetch: Fetch): Pick<RoundupOptions, "fetch" | "onLimit" | "maxWaitMs"> => ({
  fetch: (address, init) => {
    currentCall.getStore()?.report(`${init.method} ${new URL(address).pathname}`);
    return fetch(address, init);
  },
  maxWaitMs: DEFAULT_MAX_WAIT_MS,
  onLimit(retryAfterMs) {
    const call = currentCall.getStore();
    if (!call) return;
    call.waitedMs += retryAfterMs;
    const seconds = Math.ceil(retryAfterMs / 1000);
    if (call.waitedMs > DEFAULT_MAX_WAIT_MS)
      throw new ApiError("rate_limited", "Rate limit reached.", { status: 429, retryAfter: seconds });
    call.report(`Rate limit reached. Waiting ${seconds} s.`);
  },
});
