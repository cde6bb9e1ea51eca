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
    expect(readTrace(headers, PROXY_SOURCE).requestId).toMatch(UUID_PATTERN);
  },
);

test("a request id counts only from a front proxy, and a trace id from every caller", () => {
  const headers = new Headers({ "x-request-id": "id-1", traceparent: TRACEPARENT });
  const newId = expect.stringMatching(UUID_PATTERN);
  expect(readTrace(headers, { kind: "socket" })).toEqual({ requestId: newId, traceId: TRACE_ID });
  expect(readTrace(headers, PROXY_SOURCE)).toEqual({ requestId: "id-1", traceId: TRACE_ID });
});

test.each([
  `01${TRACEPARENT.slice(2)}`,
  `${TRACEPARENT}-x`,
  TRACEPARENT.toUpperCase(),
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
])("the invalid traceparent %s is ignored", (traceparent) => {
  expect(readTrace(new Headers({ traceparent }), PROXY_SOURCE).traceId).toBeUndefined();
});
