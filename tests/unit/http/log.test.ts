import { expect, test } from "vitest";
import { createBatchingStream, logRequest } from "../../../lib/http/log";

/** Creates a batch on a fake output. Returns the written text and a function that ends the process. */
function stageBatch() {
  const written: string[] = [];
  const output = { write: (text: string) => void written.push(text), flushSync: () => void written.push("flushed") };
  const otherListeners = process.listeners("exit");
  const batch = createBatchingStream(output);
  const end = process.listeners("exit").find((listener) => !otherListeners.includes(listener))!;
  return { written, batch, end: () => end.call(process, 0) };
}

test("many lines are written together, in order and once each", () => {
  const { written, batch, end } = stageBatch();
  const lines = Array.from({ length: 2_000 }, (_, i) => `${JSON.stringify({ line: i, text: "x".repeat(60) })}\n`);
  for (const line of lines) batch.write(line);
  expect(written.length).toBeGreaterThan(1);
  expect(written.length).toBeLessThan(5);
  end();
  expect(written.pop()).toBe("flushed");
  expect(written.join("")).toBe(lines.join(""));
});

test("waiting lines are written before the process ends", () => {
  const { written, batch, end } = stageBatch();
  batch.write("the last line\n");
  expect(written).toEqual([]);
  end();
  expect(written).toEqual(["the last line\n", "flushed"]);
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
