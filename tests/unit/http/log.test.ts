import { expect, test } from "vitest";
import { createBatchingStream, logRequest, readTrace } from "../../../lib/http/log";

/** Creates a batching stream on a fake output. Returns the written texts, and a function that ends the process. */
function createFakeBatch() {
  const writtenTexts: string[] = [];
  const output = {
    write: (text: string) => void writtenTexts.push(text),
    flushSync: () => void writtenTexts.push("flushed"),
  };
  const otherListeners = process.listeners("exit");
  const stream = createBatchingStream(output);
  const exitListener = process.listeners("exit").find((listener) => !otherListeners.includes(listener))!;
  return { writtenTexts, stream, end: () => exitListener.call(process, 0) };
}

test("many lines are written together, in order and once each, and the last lines before the process ends", () => {
  const { writtenTexts, stream, end } = createFakeBatch();
  const lines = Array.from({ length: 2_000 }, (_, i) => `${JSON.stringify({ line: i, text: "x".repeat(60) })}\n`);
  for (const line of lines) stream.write(line);
  expect(writtenTexts.length).toBeGreaterThan(1);
  expect(writtenTexts.length).toBeLessThan(5);
  expect(writtenTexts.join("").length).toBeLessThan(lines.join("").length);
  end();
  expect(writtenTexts.pop()).toBe("flushed");
  expect(writtenTexts.join("")).toBe(lines.join(""));
});

test("a 5xx is logged as an error, except a 503 of a process that shuts down", () => {
  const levels: string[] = [];
  const logger = { error: () => void levels.push("error"), info: () => void levels.push("info") };
  const line = { operation: "get-health", ms: 1, upstreamMs: 0, requestId: "a", caller: "public" as const };
  for (const [status, isEnding] of [
    [200, false],
    [503, false],
    [503, true],
    [500, true],
  ] as const)
    logRequest(logger, { ...line, status }, isEnding);
  expect(levels).toEqual(["info", "error", "info", "error"]);
});

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
  const trace = { requestId: newId, traceId: TRACE_ID, forwardedHeaders: null };
  expect(readTrace(headers, { kind: "socket" })).toEqual(trace);
  const forwardedHeaders = { "x-request-id": "id-1", traceparent: TRACEPARENT };
  expect(readTrace(headers, PROXY_SOURCE)).toEqual({ requestId: "id-1", traceId: TRACE_ID, forwardedHeaders });
});

test.each([
  `01${TRACEPARENT.slice(2)}`,
  `${TRACEPARENT}-x`,
  TRACEPARENT.toUpperCase(),
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
])("the invalid traceparent %s is ignored", (traceparent) => {
  expect(readTrace(new Headers({ traceparent }), PROXY_SOURCE)).toMatchObject({
    traceId: undefined,
    forwardedHeaders: null,
  });
});
