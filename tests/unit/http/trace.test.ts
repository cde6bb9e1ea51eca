import { expect, test } from "vitest";
import { readTrace } from "../../../lib/http/trace";

const PROXY_SOURCE = { kind: "proxy", hops: 1 } as const;
const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

test.each(["", "two words", "x".repeat(65), "a,b", "<b>", "a/b", "\u00e9"])(
  "a new request id replaces the invalid %j",
  (invalidId) => {
    const headers = { get: (name: string) => (name === "x-request-id" ? invalidId : null) };
    const { requestId, forwardedHeaders } = readTrace(headers, PROXY_SOURCE);
    expect(requestId).toMatch(UUID_PATTERN);
    expect(forwardedHeaders).toBeNull();
  },
);

test("without a front proxy, only a caller's trace id is read, and nothing is forwarded", () => {
  const headers = new Headers({ "x-request-id": "caller-id", traceparent: TRACEPARENT });
  const trace = { requestId: expect.stringMatching(UUID_PATTERN), traceId: TRACE_ID, forwardedHeaders: null };
  expect(readTrace(headers, { kind: "socket" })).toEqual(trace);
});

test("a front proxy's traceparent is read and forwarded unchanged", () => {
  const { requestId, traceId, forwardedHeaders } = readTrace(new Headers({ traceparent: TRACEPARENT }), PROXY_SOURCE);
  expect(traceId).toBe(TRACE_ID);
  expect(forwardedHeaders).toEqual({ "x-request-id": requestId, traceparent: TRACEPARENT });
});

test.each([
  `01${TRACEPARENT.slice(2)}`,
  `${TRACEPARENT}-x`,
  TRACEPARENT.toUpperCase(),
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
])("the invalid traceparent %s is ignored", (traceparent) => {
  expect(readTrace(new Headers({ traceparent }), PROXY_SOURCE)).toMatchObject({ forwardedHeaders: null });
});
