import { randomUUID } from "node:crypto";
import type { ClientIpSource } from "../domain/client-ip";
import { isFromProxy } from "./client-address";
import type { RequestHeaders } from "./message";

const REQUEST_ID_PATTERN = /^[\w.-]{1,64}$/;
/** Matches a traceparent header and captures its trace id. Source: W3C Trace Context, version 00. */
const TRACEPARENT_PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Returns the front proxy's x-request-id, or a new id, and the trace id for the log. Without a trusted proxy, the client
 * itself writes x-request-id, so it does not count. An id that is long or has unsafe characters never counts.
 */
export function readTrace(headers: RequestHeaders, source: ClientIpSource): { requestId: string; traceId?: string } {
  const receivedId = isFromProxy(headers, source) ? headers.get("x-request-id") : null;
  const traceparent = headers.get("traceparent");
  return {
    requestId: receivedId !== null && REQUEST_ID_PATTERN.test(receivedId) ? receivedId : randomUUID(),
    traceId: traceparent === null ? undefined : TRACEPARENT_PATTERN.exec(traceparent)?.[1],
  };
}
