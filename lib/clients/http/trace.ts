import { AsyncLocalStorage } from "node:async_hooks";

/** Trace headers of an incoming request. Every upstream call for that request carries them. */
export type TraceHeaders = { "x-request-id"?: string; traceparent?: string };

// On Node 20, the first `run` slows down every later promise of the process. Call `run` only for requests with trace
// headers.
const traceStorage = new AsyncLocalStorage<TraceHeaders>();

/**
 * Runs `work`. Every upstream call that `work` starts carries `headers`. A call that several requests share carries
 * the headers of the request that started it.
 */
export const runWithTrace = <T>(headers: TraceHeaders, work: () => T): T => traceStorage.run(headers, work);

/** Returns the headers of the request that this call is made for; undefined outside of a trace. */
export const getTraceHeaders = (): TraceHeaders | undefined => traceStorage.getStore();
