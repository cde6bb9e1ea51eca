import {
  type AnswerOf,
  type CallOptions,
  type Calls,
  type Credentials,
  createCalls,
  type PathOf,
} from "@/lib/sdk/calls/calls";
import { type Fetch, systemClock, systemFetch } from "@/lib/sdk/world";
import { createLimit } from "./limit";

export const limit = createLimit();

/** Programs that share the IP address may use up the next minute's quota too, so wait several minutes. */
const MAX_WAIT_MS = 180_000;

const watched: Fetch = async (address, init) => {
  const response = await systemFetch(address, init);
  limit.note(response.headers, Date.now());
  return response;
};

/**
 * Returns the API client of this deployment with the given credentials. Only rate-limited calls are retried
 * automatically. Every other error is shown to the person, with an action to continue.
 */
export const callsOf = (credentials: Credentials | null): Calls =>
  createCalls({
    baseUrl: "",
    fetch: watched,
    clock: systemClock,
    credentials: () => credentials,
    onLimit: (retryAfterMs) => limit.wait(Date.now() + retryAfterMs),
    maxWaitMs: MAX_WAIT_MS,
  });

export const calls = callsOf(null);

/** Reads a path that is composed at run time, so that the caller names the path's contract. */
export const readPath = <C>(path: string, options?: CallOptions) =>
  calls.get(path as PathOf<"GET">, options) as Promise<AnswerOf<C>>;
