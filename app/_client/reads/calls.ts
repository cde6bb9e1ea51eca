import { type Calls, type Credentials, createCalls } from "@/lib/sdk/calls/calls";
import { systemClock, systemFetch } from "@/lib/sdk/world";

/** The operations of the deployment this page is of, as this caller. What fails is shown, with its way on: nothing is repeated unasked. */
export const callsOf = (credentials: Credentials | null): Calls =>
  createCalls({ baseUrl: "", fetch: systemFetch, clock: systemClock, credentials: () => credentials });

export const calls = callsOf(null);
