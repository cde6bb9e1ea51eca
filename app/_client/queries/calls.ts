import { type Calls, type Credentials, createCalls } from "@/lib/sdk/calls/calls";
import { type Fetch, systemClock, systemFetch } from "@/lib/sdk/world";
import { createLimit } from "./limit";

export const limit = createLimit();

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
    onLimit: (seconds) => limit.wait(Date.now() + seconds * 1000),
  });

export const calls = callsOf(null);
