import { expect, test } from "vitest";
import { createCalls } from "@/lib/sdk/calls/calls";
import { type Outcome, relay } from "@/lib/sdk/flow/post-signed";
import type { Clock } from "@/lib/sdk/world";

interface Said {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}
type Answer = Said | "lost";

const envelope = (status: number, code: string): Said => ({ status, body: { ok: false, error: `${code}.`, code } });
const pending: Answer = {
  status: 202,
  body: { ok: true, data: { confirmed: false, status: "pending", txSignature: "sig", lastValidBlockHeight: 1 } },
};

/** Gives these answers in turn, the last one for ever. */
function service(...answers: Answer[]) {
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
  const run = (again = false) => relay("bytes", { calls, clock, again });
  return { run, waits, posts };
}

const kindOf = (outcome: Outcome) => Object.keys(outcome)[0];

test.each([
  ["a proxy's refusal that is no JSON", { status: 403, body: "<h1>Forbidden</h1>" }],
  ["a proxy's refusal in JSON of its own", { status: 403, body: { message: "blocked", code: "waf" } }],
  ["an answer that breaks off", { status: 200, body: '{"ok":tr' }],
  ["a success that is none of ours", { status: 200, body: "<html>" }],
  ["our own blank failure", envelope(500, "internal")],
  ["a gateway without its service", { status: 502, body: "Bad Gateway" }],
  ["an upstream that is down", envelope(503, "upstream_unavailable")],
  ["a connection that is lost", "lost"],
  ["the limit", envelope(429, "rate_limited")],
  ["a redirect", { status: 304, body: "" }],
  ["an outcome that stays pending", pending],
] as [string, Answer][])("%s leaves open what became of the transaction", async (_what, answer) => {
  const { run } = service(answer);
  expect(kindOf(await run())).toBe("unknown");
});

test.each([
  [422, "transaction_expired"],
  [422, "transaction_failed"],
  [422, "simulation_failed"],
  [400, "invalid_transaction"],
  [400, "transaction_not_signed"],
] as const)("%i %s is the service's word about the transaction, however often it was posted", async (status, code) => {
  for (const again of [false, true]) {
    expect(await service(envelope(status, code)).run(again)).toMatchObject({ refused: { code } });
  }
  expect(await service("lost", envelope(status, code)).run()).toMatchObject({ refused: { code } });
});

test.each([
  [401, "credentials_invalid"],
  [403, "fee_missing"],
  [409, "too_many_keys"],
  [413, "body_too_large"],
] as const)("%i %s refuses the first post; of bytes that may be on their way it says nothing", async (status, code) => {
  expect(await service(envelope(status, code)).run()).toMatchObject({ refused: { code } });
  expect(await service(envelope(status, code)).run(true)).toMatchObject({ unknown: { code } });
  expect(await service("lost", envelope(status, code)).run()).toMatchObject({ unknown: { code } });
  expect(await service(pending, envelope(status, code)).run()).toMatchObject({ unknown: { code } });
});

test("409 already_saved means that another transaction saved, however often these bytes were posted", async () => {
  const elsewhere = { elsewhere: { code: "already_saved" } };
  const refusal = envelope(409, "already_saved");
  expect(await service(refusal).run()).toMatchObject(elsewhere);
  expect(await service(refusal).run(true)).toMatchObject(elsewhere);
  expect(await service("lost", refusal).run()).toMatchObject(elsewhere);
  expect(await service(pending, refusal).run()).toMatchObject(elsewhere);
  expect(kindOf(await service(envelope(503, "already_saved")).run())).toBe("unknown");
});

test("bytes that the rate limit refused were not sent, so the next refusal is certain", async () => {
  const { run } = service(envelope(429, "rate_limited"), envelope(401, "credentials_invalid"));
  expect(await run()).toMatchObject({ refused: { code: "credentials_invalid" } });
});

test("it never waits longer than a minute for the next try", async () => {
  const limited: Answer = { ...envelope(429, "rate_limited"), headers: { "retry-after": "86400" } };
  const { run, waits } = service(limited);
  expect(kindOf(await run())).toBe("unknown");
  expect(new Set(waits)).toEqual(new Set([60_000]));
});

test("a later start leaves the outcome to the user after a minute without one", async () => {
  const busy: Answer = { ...envelope(503, "upstream_unavailable"), headers: { "retry-after": "30" } };
  const { run, waits } = service(busy);
  expect(kindOf(await run(true))).toBe("unknown");
  expect(waits).toEqual([30_000, 30_000]);
});

test("it posts the same bytes until they have landed, at the times that the service names", async () => {
  const limited: Answer = { ...envelope(429, "rate_limited"), headers: { "retry-after": "7" } };
  const landed: Answer = {
    status: 200,
    body: { ok: true, data: { confirmed: true, status: "confirmed", txSignature: "sig", slot: 5, network: "sandbox" } },
  };
  const { run, waits, posts } = service("lost", limited, pending, landed);
  expect(await run()).toEqual({ landed: { txSignature: "sig" } });
  expect(waits).toEqual([2000, 7000]);
  expect(new Set(posts)).toEqual(
    new Set([`https://roundup.example/api/swap/execute ${JSON.stringify({ signedTransaction: "bytes" })}`]),
  );
});
