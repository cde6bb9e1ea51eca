import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createSharedStore } from "../../../lib/clients/store/kv-shared";
import { createVercelCommands } from "../../../lib/clients/store/kv-vercel";
import { createKvRateLimiter } from "../../../lib/clients/store/rate-limiter";
import type { ErrorCode } from "../../../lib/errors";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function storeThat(answers: RequestListener, timeoutMs = 20_000) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(String(request.headers["upstash-telemetry-sdk"]));
    answers(request, response);
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const options = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: "token-7f3a",
    timeoutMs,
  };
  const store = createSharedStore(createVercelCommands(options));
  const operations = {
    get: () => store.get("key"),
    getMany: () => store.getMany(["key", "other"]),
    ping: () => store.ping(),
    set: () => store.set("key", "value-7f3a"),
    setIfAbsent: () => store.setIfAbsent("key", "value-7f3a", 1_000),
    delete: () => store.delete("key"),
    increment: () => store.increment("key", 1),
    take: async () => createKvRateLimiter(createVercelCommands(options)).take("198.51.100.7"),
  };
  return { server, requests, operations };
}

async function expectFailure(operation: () => Promise<unknown>, code: ErrorCode) {
  const failure = await operation().then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(failure).toMatchObject({ name: "AppError", code });
  // The error contains neither the store's text nor the values that were sent.
  expect(inspect(failure, { depth: null })).not.toMatch(/7f3a|secret/);
}

const answering =
  (status: number, body: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  };

test.each([
  ["an error reply", answering(400, '{"error":"ERR secret"}')],
  ["a refused token", answering(401, '{"error":"secret"}')],
  ["a page instead of JSON", answering(502, "<html>secret</html>")],
  ["a broken body", answering(200, '{"result":"secr')],
  ["no result", answering(200, "{}")],
  ["a result of another kind", answering(200, '{"result":{"secret":1}}')],
  ["text that is no JSON value", answering(200, '{"result":"secret"}')],
])("fails every operation as upstream_invalid on %s", async (_name, answers) => {
  const { operations } = await storeThat(answers);
  for (const operation of Object.values(operations)) await expectFailure(operation, "upstream_invalid");
});

test.each<[string, RequestListener]>([
  ["no answer", () => {}],
  ["an answer that stops half way", (_request, response) => void response.writeHead(200).write('{"res')],
])("fails as upstream_timeout in time on %s", async (_name, answers) => {
  const { operations } = await storeThat(answers, 300);
  const startedAt = performance.now();
  await Promise.all(Object.values(operations).map((operation) => expectFailure(operation, "upstream_timeout")));
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test("retries reads once but never writes on a lost connection", async () => {
  const { requests, operations } = await storeThat((request) => void request.socket.destroy());
  for (const [name, operation] of Object.entries(operations)) {
    requests.length = 0;
    await expectFailure(operation, "upstream_unavailable");
    expect([name, requests.length]).toEqual([name, ["get", "getMany"].includes(name) ? 2 : 1]);
  }
});

test("fails as upstream_unavailable when the connection is refused", async () => {
  const { server, operations } = await storeThat(() => {});
  server.close();
  await once(server, "close");
  for (const operation of Object.values(operations)) await expectFailure(operation, "upstream_unavailable");
});

test("sends no telemetry and prints nothing", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const printed = [vi.spyOn(console, "log"), vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
  const { requests, operations } = await storeThat(answering(200, '{"result":"OK"}'));
  await operations.set();
  expect(requests).toEqual(["undefined"]);
  for (const print of printed) expect(print).not.toHaveBeenCalled();
});
