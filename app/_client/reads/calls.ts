import { createCalls } from "@/lib/sdk/calls/calls";
import { systemClock, systemFetch } from "@/lib/sdk/world";

/** The operations of the deployment this page is of. What fails is shown, with its way on: nothing is repeated unasked. */
export const calls = createCalls({ baseUrl: "", fetch: systemFetch, clock: systemClock });
