import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createCallReserver } from "../../../lib/clients/quota/tokens";
import { createSharedStore } from "../../../lib/clients/store/kv-shared";
import { createVercelCommands } from "../../../lib/clients/store/kv-vercel";
import { createKvRateLimiter } from "../../../lib/clients/store/rate-limiter";
import type { ErrorCode } from "../../../lib/errors";
import {
  answerText,
  cutConnection,
  leaveUnanswered,
  type Stage,
  startStagedServer,
  startStagedServerForFile,
} from "../../support/fakes/staged-server";

const server = await startStagedServerForFile();

/** Returns a call of each operation of the store at this URL. */
function listOperations({ url = server.url, timeoutMs = 20_000 } = {}): Record<string, () => Promise<unknown>> {
  const commands = createVercelCommands({ url, token: "token-7f3a", timeoutMs });
  const store = createSharedStore(commands);
  return {
    get: () => store.get("key"),
    getMany: () => store.getMany(["key", "other"]),
    ping: () => store.ping(),
    set: () => store.set("key", "value-7f3a"),
    setIfAbsent: () => store.setIfAbsent("key", "value-7f3a", 1_000),
    delete: () => store.delete("key"),
    reserve: () => createCallReserver(commands)("rpc", { count: 1, gapMs: 10, burstMs: 100 }),
    take: async () => createKvRateLimiter(commands).take("198.51.100.7"),
  };
}

async function expectFailure(operation: () => Promise<unknown>, code: ErrorCode) {
  const failure = await operation().catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: "AppError", code });
  // Neither the store's text nor the sent values may appear in the error.
  expect(inspect(failure, { depth: null })).not.toMatch(/7f3a|secret/);
}

test.each([
  ["an error reply", answerText('{"error":"ERR secret"}', 400)],
  ["a refused token", answerText('{"error":"secret"}', 401)],
  ["a page instead of JSON", answerText("<html>secret</html>", 502)],
  ["a broken body", answerText('{"result":"secr')],
  ["no result", answerText("{}")],
  ["a result of another kind", answerText('{"result":{"secret":1}}')],
  ["text that is not a JSON value", answerText('{"result":"secret"}')],
])("every operation fails as upstream_invalid on %s", async (_caseName, stage) => {
  server.stage = stage;
  for (const operation of Object.values(listOperations())) await expectFailure(operation, "upstream_invalid");
});

test.each<[string, Stage]>([
  ["no answer", leaveUnanswered],
  ["an answer that stops half way", (_request, response) => void response.writeHead(200).write('{"res')],
])("every operation fails as upstream_timeout within 15 s on %s", async (_caseName, stage) => {
  server.stage = stage;
  const operations = Object.values(listOperations({ timeoutMs: 300 }));
  const startMs = performance.now();
  await Promise.all(operations.map((operation) => expectFailure(operation, "upstream_timeout")));
  expect(performance.now() - startMs).toBeLessThan(15_000);
});

test("a lost connection makes the store repeat a read once, but never a write", async () => {
  server.stage = cutConnection;
  for (const [name, operation] of Object.entries(listOperations())) {
    server.requests.length = 0;
    await expectFailure(operation, "upstream_unavailable");
    expect([name, server.requests.length]).toEqual([name, ["get", "getMany"].includes(name) ? 2 : 1]);
  }
});

test("every operation fails as upstream_unavailable when the connection is refused", async () => {
  const closedServer = await startStagedServer();
  await closedServer.close();
  for (const operation of Object.values(listOperations(closedServer)))
    await expectFailure(operation, "upstream_unavailable");
});
