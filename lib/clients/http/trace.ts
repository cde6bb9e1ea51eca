import { AsyncLocalStorage } from "node:async_hooks";

/** Headers that name the request for which an upstream is called. */
export type TraceHeaders = { "x-request-id"?: string; traceparent?: string };

// Node 20 slows every promise of the process down from the first `run` on. Without a front
// proxy, none happens.
const current = new AsyncLocalStorage<TraceHeaders>();

/** Runs `work`; every upstream call that it starts carries `headers`. A call that several requests share has the first one's. */
export const withTrace = <T>(headers: TraceHeaders, work: () => T): T => current.run(headers, work);

/** Returns the headers of the request that this call is made for; undefined outside of a trace. */
export const traceHeaders = (): TraceHeaders | undefined => current.getStore();
