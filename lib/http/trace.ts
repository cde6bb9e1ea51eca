import { randomUUID } from "node:crypto";
import type { Runtime } from "../deps";
import type { ClientIpSource } from "../domain/client-ip";
import { isFromProxy } from "./client-address";
import type { RequestHeaders } from "./message";

const REQUEST_ID_PATTERN = /^[\w.-]{1,64}$/;
/** Matches a traceparent header and captures its trace id. Source: W3C Trace Context, version 00. */
const TRACEPARENT_PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export interface Trace {
  /** The front proxy's x-request-id, or a new one. */
  requestId: string;
  /** The trace id for the log. Absent if the request has no valid traceparent header. */
  traceId?: string;
  /** Headers for upstream calls; null when the request brought nothing to pass on. */
  forwardedHeaders: Parameters<Runtime["runWithTrace"]>[0] | null;
}

/**
 * Reads the request's id and trace. Without a trusted front proxy, the client itself writes these headers. The reader then
 * ignores x-request-id and passes nothing on, because the first trace that is passed on slows the process down until it
 * ends (lib/clients/http/trace.ts). An id that is long or has unsafe characters is always ignored.
 */
export function readTrace(headers: RequestHeaders, source: ClientIpSource): Trace {
  const hasProxy = isFromProxy(headers, source);
  const receivedId = hasProxy ? headers.get("x-request-id") : null;
  const acceptedId = receivedId !== null && REQUEST_ID_PATTERN.test(receivedId) ? receivedId : null;
  const traceparent = headers.get("traceparent");
  const traceId = traceparent === null ? undefined : TRACEPARENT_PATTERN.exec(traceparent)?.[1];
  const trace: Trace = { requestId: acceptedId ?? randomUUID(), forwardedHeaders: null };
  if (traceId !== undefined) trace.traceId = traceId;
  if (!hasProxy || (acceptedId === null && traceId === undefined)) return trace;
  trace.forwardedHeaders = { "x-request-id": trace.requestId };
  if (traceId !== undefined) trace.forwardedHeaders.traceparent = traceparent!;
  return trace;
}
