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
 * The operations of the deployment this page is of, as this caller. What fails is shown, with its way on: nothing is repeated
 * unasked but what met the limit, which nobody has to do anything about.
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
