import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { createKeyFile, runCommand } from "../../../support/client/cli-user";
import { AUTH_TEXT } from "../../../support/fixtures/wallet-texts";

const TARGET = "http://localhost:4000/events";

interface RunOptions {
  /** Stops the command when the program has received this many requests in all. */
  maxPosts?: number;
  env?: Record<string, string>;
  /** The feed's name in the service's answers. */
  feed?: string;
}

/**
 * Creates a feed of three events, and a target program that answers with these statuses in turn, then with 204. A `lost`
 * request gets no answer.
 */
async function createFeed(...statuses: (number | "lost")[]) {
  const { home, keypairPath } = createKeyFile();
  const receivedPosts: { headers: Record<string, string>; body: string }[] = [];
  const apiKeys = new Set<string | undefined>();
  /** Runs `listen` until it has read the feed to its end. */
  const listen = async (args: string[] = [], { maxPosts = 99, env = {}, feed = "feed" }: RunOptions = {}) => {
    const endController = new AbortController();
    const fetch = async (address: string, init: RequestInit): Promise<Response> => {
      const headers = init.headers as Record<string, string>;
      if (address === TARGET) {
        receivedPosts.push({ headers, body: String(init.body) });
        if (receivedPosts.length === maxPosts) endController.abort();
        const status = statuses.shift() ?? 204;
        if (status === "lost") throw new TypeError("fetch failed");
        return new Response(null, { status });
      }
      const { pathname, searchParams } = new URL(address);
      if (pathname === "/api/auth") return Response.json({ ok: true, data: { message: AUTH_TEXT } });
      apiKeys.add(headers["x-api-key"]);
      const after = Number(searchParams.get("after"));
      if (after >= 3) {
        endController.abort();
        return new Promise(() => {});
      }
      const event = { sequence: after + 1, type: "saving.confirmed", time: "2026-11-21T04:04:43.000Z" };
      const data = { feed, events: [{ ...event, txSignature: `signature${after + 1}` }], next: after + 1 };
      return Response.json({ ok: true, data });
    };
    const argv = ["listen", "--forward-to", TARGET, "--keypair", keypairPath, "--json", ...args];
    const clock = { now: Date.now, sleep: async () => {} };
    const stopSignal = endController.signal;
    const { exitCode, outputLines } = await runCommand(argv, { home, env, fetch, clock, stopSignal });
    const lines = outputLines.map((line) => JSON.parse(line));
    return { exitCode, lines, secret: lines.find(({ event }) => event === "secret")?.secret as string | undefined };
  };
  const listSequences = () => receivedPosts.map(({ body }) => JSON.parse(body).data.sequence);
  return { listen, receivedPosts, listSequences, apiKeys };
}

test("listen posts the events in order and repeats each until the program accepts it", async () => {
  const { listen, receivedPosts, listSequences } = await createFeed(200, 500, "lost", 302);
  const { exitCode, lines, secret } = await listen();
  expect([exitCode, listSequences()]).toEqual([0, [1, 2, 2, 2, 2, 3]]);
  const ids = receivedPosts.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([1, 2, 2, 2, 2, 3].map((sequence) => `evt_signature${sequence}`));
  for (const { headers, body } of receivedPosts)
    expect(new Webhook(secret!).verify(body, headers)).toMatchObject({ type: "saving.confirmed", data: {} });
  const posts = ["forwarded", "trouble", "trouble", "trouble", "forwarded", "forwarded"];
  expect(lines.map(({ event }) => event)).toEqual(["secret", "started", ...posts, "ended"]);
});

test("a restart continues with the first event that was not accepted", async () => {
  const { listen, listSequences } = await createFeed(200, 500);
  const firstRun = await listen([], { maxPosts: 2 });
  const secondRun = await listen();
  expect([firstRun.exitCode, secondRun.exitCode, listSequences()]).toEqual([0, 0, [1, 2, 2, 3]]);
});

test("the signing secret stays the same until --new-secret replaces it", async () => {
  const { listen, receivedPosts } = await createFeed(200, 500);
  const { secret } = await listen([], { maxPosts: 2 });
  expect((await listen()).secret).toBeUndefined();
  const { headers, body } = receivedPosts.at(-1)!;
  expect(() => new Webhook(secret!).verify(body, headers)).not.toThrow();
  expect((await listen(["--new-secret"])).secret).not.toBe(secret);
});

test("an API key reads its own feed without a key file", async () => {
  const { listen, listSequences, apiKeys } = await createFeed();
  await listen();
  const withApiKey = await listen(["--keypair", "nowhere"], { env: { ROUNDUP_API_KEY: "ru_test_key" } });
  expect([withApiKey.exitCode, listSequences(), [...apiKeys]]).toEqual([
    0,
    [1, 2, 3, 1, 2, 3],
    [undefined, "ru_test_key"],
  ]);
  expect(JSON.stringify(withApiKey.lines)).not.toContain("ru_test_key");
});

test("a new key of the same feed continues where the old key ended", async () => {
  const { listen, listSequences } = await createFeed();
  const runWithKey = (key: string, options: RunOptions) => listen([], { env: { ROUNDUP_API_KEY: key }, ...options });
  const firstRun = await runWithKey("old", { feed: "key:shop", maxPosts: 2 });
  const rotated = await runWithKey("new", { feed: "key:shop" });
  expect([listSequences(), rotated.secret]).toEqual([[1, 2, 2, 3], undefined]);
  expect((await runWithKey("new", { feed: "key:other", maxPosts: 5 })).secret).not.toBe(firstRun.secret);
  expect(listSequences().slice(4)).toEqual([1]);
});
