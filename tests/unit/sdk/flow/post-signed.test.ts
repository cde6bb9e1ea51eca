import { expect, test } from "vitest";
import { createCalls } from "@/lib/sdk/calls/calls";
import { type Outcome, relay } from "@/lib/sdk/flow/post-signed";
import type { Clock } from "@/lib/sdk/world";

interface Reply {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}
type Answer = Reply | "lost";

const createFailure = (status: number, code: string): Reply => ({
  status,
  body: { ok: false, error: `${code}.`, code },
});
const pending: Answer = {
  status: 202,
  body: { ok: true, data: { confirmed: false, status: "pending", txSignature: "sig", lastValidBlockHeight: 1 } },
};

/** Creates a service that gives the answers in turn and repeats the last one. */
function createService(...answers: Answer[]) {
  const waits: number[] = [];
  const posts: string[] = [];
  const now = () => waits.reduce((sum, ms) => sum + ms, 0);
  const clock: Clock = { now, sleep: async (ms) => void waits.push(ms) };
  const calls = createCalls({
    baseUrl: "https://roundup.example",
    clock,
    fetch: async (address, init) => {
      posts.push(`${address} ${init.body}`);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer === "lost") throw new TypeError("fetch failed");
      const { status, body, headers } = answer;
      return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
    },
  });
  const run = (mayHaveBeenPosted = false) => relay("bytes", { calls, clock, mayHaveBeenPosted });
  return { run, waits, posts };
}

const getKind = (outcome: Outcome) => Object.keys(outcome)[0];

test.each([
  ["an HTML refusal of a proxy", { status: 403, body: "<h1>Forbidden</h1>" }],
  ["a JSON refusal of a proxy", { status: 403, body: { message: "blocked", code: "waf" } }],
  ["a truncated answer", { status: 200, body: '{"ok":tr' }],
  ["a 200 with HTML", { status: 200, body: "<html>" }],
  ["an internal error of the service", createFailure(500, "internal")],
  ["a bad gateway", { status: 502, body: "Bad Gateway" }],
  ["an unavailable upstream", createFailure(503, "upstream_unavailable")],
  ["a lost connection", "lost"],
  ["the rate limit", createFailure(429, "rate_limited")],
  ["a redirect", { status: 304, body: "" }],
  ["an outcome that stays pending", pending],
] as [string, Answer][])("%s leaves the outcome unknown", async (_case, answer) => {
  const { run } = createService(answer);
  expect(getKind(await run())).toBe("unknown");
});

test.each([
  [422, "transaction_expired"],
  [422, "transaction_failed"],
  [422, "simulation_failed"],
  [400, "invalid_transaction"],
  [400, "transaction_not_signed"],
] as const)("%i %s refuses the transaction, even after several posts", async (status, code) => {
  for (const mayHaveBeenPosted of [false, true]) {
    expect(await createService(createFailure(status, code)).run(mayHaveBeenPosted)).toMatchObject({
      refused: { code },
    });
  }
  expect(await createService("lost", createFailure(status, code)).run()).toMatchObject({ refused: { code } });
});

test.each([
  [401, "credentials_invalid"],
  [403, "fee_missing"],
  [409, "too_many_keys"],
  [413, "body_too_large"],
] as const)("%i %s refuses a transaction only if it was not posted before", async (status, code) => {
  expect(await createService(createFailure(status, code)).run()).toMatchObject({ refused: { code } });
  expect(await createService(createFailure(status, code)).run(true)).toMatchObject({ unknown: { code } });
  expect(await createService("lost", createFailure(status, code)).run()).toMatchObject({ unknown: { code } });
  expect(await createService(pending, createFailure(status, code)).run()).toMatchObject({ unknown: { code } });
});

test("409 already_saved reports a saving by another device, even after several posts", async () => {
  const elsewhere = { elsewhere: { code: "already_saved" } };
  const refusal = createFailure(409, "already_saved");
  expect(await createService(refusal).run()).toMatchObject(elsewhere);
  expect(await createService(refusal).run(true)).toMatchObject(elsewhere);
  expect(await createService("lost", refusal).run()).toMatchObject(elsewhere);
  expect(await createService(pending, refusal).run()).toMatchObject(elsewhere);
  expect(getKind(await createService(createFailure(503, "already_saved")).run())).toBe("unknown");
});

test("a refusal after a rate-rateLimited post is certain, because nothing was sent", async () => {
  const { run } = createService(createFailure(429, "rate_limited"), createFailure(401, "credentials_invalid"));
  expect(await run()).toMatchObject({ refused: { code: "credentials_invalid" } });
});

test("relay waits at most a minute between two posts", async () => {
  const rateLimited: Answer = { ...createFailure(429, "rate_limited"), headers: { "retry-after": "86400" } };
  const { run, waits } = createService(rateLimited);
  expect(getKind(await run())).toBe("unknown");
  expect(new Set(waits)).toEqual(new Set([60_000]));
});

test("a resumed relay gives up after a minute without an outcome", async () => {
  const unavailable: Answer = { ...createFailure(503, "upstream_unavailable"), headers: { "retry-after": "30" } };
  const { run, waits } = createService(unavailable);
  expect(getKind(await run(true))).toBe("unknown");
  expect(waits).toEqual([30_000, 30_000]);
});

test("relay posts the same bytes until they land, with the pauses that the service asks for", async () => {
  const rateLimited: Answer = { ...createFailure(429, "rate_limited"), headers: { "retry-after": "7" } };
  const landed: Answer = {
    status: 200,
    body: { ok: true, data: { confirmed: true, status: "confirmed", txSignature: "sig", slot: 5, network: "sandbox" } },
  };
  const { run, waits, posts } = createService("lost", rateLimited, pending, landed);
  expect(await run()).toEqual({ landed: { txSignature: "sig" } });
  expect(waits).toEqual([2000, 7000]);
  expect(new Set(posts)).toEqual(
    new Set([`https://roundup.example/api/swap/execute ${JSON.stringify({ signedTransaction: "bytes" })}`]),
  );
});
