import { expect, test } from "vitest";
import { createBatchingStream, logRequest } from "../../../lib/http/log";

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
