import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sendRequest } from "../../../../lib/clients/http/send-request";
import { runWithTrace } from "../../../../lib/clients/http/trace";

test("an upstream call carries only the trace headers of its own request", async () => {
  const server = createServer(({ headers }, response) => {
    response.end(JSON.stringify([headers["x-request-id"] ?? null, headers.traceparent ?? null]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const call = async () => {
    await Promise.resolve();
    return JSON.parse((await sendRequest(url, { upstream: "node", timeoutMs: 5_000, maxBytes: 1_000 })).text);
  };
  const answers = await Promise.all([
    runWithTrace({ "x-request-id": "a", traceparent: "t" }, call),
    call(),
    runWithTrace({ "x-request-id": "b" }, call),
  ]);
  expect(answers).toEqual([
    ["a", "t"],
    [null, null],
    ["b", null],
  ]);
});
